package dev.berth.peers;

import java.io.Serializable;
import org.jobrunr.jobs.lambdas.JobRequest;

/** What a task carries, as long as what Berth's carry in the same run. */
public record Payload(int number, String text) implements Serializable, JobRequest {

  private static final long serialVersionUID = 1L;

  static Payload of(int number) {
    return new Payload(number, "the quick brown fox jumps over the lazy dog, again and again");
  }

  @Override
  public Class<JobRunr.Handler> getJobRequestHandler() {
    return JobRunr.Handler.class;
  }
}
