package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.LimitKey;
import dev.berth.limit.Need;
import dev.berth.store.Submission;
import dev.berth.testkit.Draft;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/**
 * A look at each key of a batch costs several times as much as all else of its submit. So lanes
 * that are right at a glance are passed, if they are written as the client writes them.
 */
class PlainLaneTest {

  private static final LimitKey GPU = LimitKey.shared("gpu");
  private static final LimitKey ADA = LimitKey.ofTypePer(Draft.TYPE, "user", "ada");

  @Test
  void whatTheClientWritesIsPlain() throws SQLException {
    assertThat(plain(Draft.task().under(GPU, 4))).isTrue();
    assertThat(plain(Draft.task().under(ADA, 1))).isTrue();
    assertThat(plain(Draft.task().under(GPU, 4).under(ADA, 1))).isTrue();
  }

  @Test
  void whatIsUnusualIsLookedAtClosely() throws SQLException {
    assertThat(plain(Draft.task().under(LimitKey.shared("two words"), 4))).isFalse();
    assertThat(plain(Draft.task().type("other").under(ADA, 1))).isFalse();
  }

  private static boolean plain(Draft draft) throws SQLException {
    Submission task = draft.submission();
    try (TestDatabase database = TestDatabase.on(Servers.NEWEST);
        Connection connection = database.pool().getConnection();
        PreparedStatement asked =
            connection.prepareStatement("select berth_private.is_plain_lane(?, ?, ?, ?, ?)")) {
      asked.setString(1, task.type());
      asked.setString(2, BatchSubmit.lane(task));
      asked.setString(3, BatchSubmit.keys(connection, task));
      asked.setString(4, BatchSubmit.ints(task, Need::weight));
      asked.setString(5, BatchSubmit.ints(task, Need::slots));
      try (ResultSet row = asked.executeQuery()) {
        row.next();
        return row.getBoolean(1);
      }
    }
  }
}
