//! How much of the workers' time a finish EDT took whose function has others do the work.

/// The scopes that are open, and their shares: while `n` of them are open, each gets an `n`-th of the time that passes.
/// So the share of a scope is the time that the workers need for it, however many scopes are open beside it. All times
/// are nanoseconds since one moment, which the caller chooses.
#[derive(Clone, Copy, Default, Debug)]
pub struct ScopeShares {
    open: u64,
    /// The share of a scope that has been open from the beginning.
    share_ns: u64,
    /// Up to when that is counted.
    counted_ns: u64,
}

impl ScopeShares {
    /// Gives the open scopes their shares of the time until now.
    fn count(&mut self, now_ns: u64) {
        self.share_ns += now_ns.saturating_sub(self.counted_ns).checked_div(self.open).unwrap_or(0);
        self.counted_ns = self.counted_ns.max(now_ns);
    }

    /// A scope opens. The answer is for [`ScopeShares::end`].
    pub fn begin(&mut self, now_ns: u64) -> u64 {
        self.count(now_ns);
        self.open += 1;
        self.share_ns
    }

    /// A scope closes: its share. `begun` is what [`ScopeShares::begin`] has answered for it.
    pub fn end(&mut self, begun: u64, now_ns: u64) -> u64 {
        self.count(now_ns);
        self.open = self.open.saturating_sub(1);
        self.share_ns - begun
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_that_are_open_together_share_the_time() {
        let mut shares = ScopeShares::default();
        let first = shares.begin(0);
        let second = shares.begin(10);
        // 10 alone, and half of 20.
        assert_eq!(shares.end(first, 30), 20);
        let third = shares.begin(40);
        // Half of 20, 10 alone, half of 20.
        assert_eq!(shares.end(second, 60), 30);
        assert_eq!(shares.end(third, 70), 20);
        // Nothing was open meanwhile.
        let last = shares.begin(1_000);
        assert_eq!(shares.end(last, 1_005), 5);
    }
}
