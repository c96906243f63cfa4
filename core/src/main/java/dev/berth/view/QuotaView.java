package dev.berth.view;

import dev.berth.limit.LimitKey;

/**
 * A quota as it is now. Its number is not known here: it comes with each submit.
 *
 * @param count how many tasks under it are pending or running
 */
public record QuotaView(LimitKey key, int count) {}
