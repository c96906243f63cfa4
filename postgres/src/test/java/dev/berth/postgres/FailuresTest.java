package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.store.StoreException.Kind;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

class FailuresTest {

  @Test
  void aRowThatBreaksAConstraintIsWrongAndOneWithoutAPartitionIsNot() {
    assertThat(kind("23514", "task_keys")).isEqualTo(Kind.INVALID);
    assertThat(kind("23514", null)).isEqualTo(Kind.UNAVAILABLE);
    assertThat(kind("23505", "workflow_step_pkey")).isEqualTo(Kind.CONFLICT);
    assertThat(kind("40001", null)).isEqualTo(Kind.UNAVAILABLE);
  }

  private static Kind kind(String state, String constraint) {
    String fields = "SERROR\0C" + state + "\0Mit is so\0";
    String all = constraint == null ? fields : fields + "n" + constraint + "\0";
    return Failures.of("do it", new PSQLException(new ServerErrorMessage(all))).kind();
  }
}
