package dev.berth.benchmarks.plot;

/**
 * A value against its target, both as parts of the target: at 1 it is just met.
 *
 * @param means what is compared with what
 * @param text the value as people read it
 * @param target the target as people read it
 * @param met whether the target is met
 * @param part the value, in parts of the target
 * @param low the least of all rounds, likewise
 * @param high the most
 */
public record Bar(
    String name,
    String means,
    String text,
    String target,
    boolean met,
    double part,
    double low,
    double high) {}
