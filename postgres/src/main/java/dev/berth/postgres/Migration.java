package dev.berth.postgres;

import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/**
 * One numbered step of the schema.
 *
 * @param name such as {@code 001_tables}
 */
record Migration(int number, String name, String sql) {

  /** Every step there is, in order; a new one is a file and a line here. */
  private static final List<String> NAMES =
      List.of(
          "001_tables",
          "002_submit",
          "003_exchange",
          "004_session",
          "005_sweep",
          "006_command",
          "007_views",
          "008_limits",
          "009_lanes",
          "010_slots",
          "011_hand_on",
          "012_waiters",
          "013_quotas",
          "014_explain",
          "015_audit",
          "016_doctor",
          "017_holds",
          "018_type_limits",
          "019_workflows",
          "020_schedules",
          "021_sql_tasks",
          "022_topics");

  static List<Migration> all() {
    List<Migration> all = new ArrayList<>();
    for (String name : NAMES) {
      int number = Integer.parseInt(name.substring(0, 3));
      all.add(new Migration(number, name, Resources.read("migrations/" + name + ".sql")));
    }
    return List.copyOf(all);
  }

  /** Tells whether the file that was applied is the file that is here. */
  long checksum() {
    CRC32 crc = new CRC32();
    crc.update(sql.replace("\r\n", "\n").getBytes(java.nio.charset.StandardCharsets.UTF_8));
    return crc.getValue();
  }
}
