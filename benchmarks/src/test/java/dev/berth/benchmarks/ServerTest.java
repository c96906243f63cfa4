package dev.berth.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ServerTest {

  @Test
  void anAddressGetsAnotherDatabase() {
    assertThat(Server.withDatabase("jdbc:postgresql://host:5432/shop?user=me&ssl=true", "bench"))
        .isEqualTo("jdbc:postgresql://host:5432/bench?user=me&ssl=true");
    assertThat(Server.withDatabase("jdbc:postgresql://host/shop", "bench"))
        .isEqualTo("jdbc:postgresql://host/bench");
    assertThat(Server.withDatabase("jdbc:postgresql://host:5432?user=me", "bench"))
        .isEqualTo("jdbc:postgresql://host:5432/bench?user=me");
    assertThat(Server.withDatabase("jdbc:postgresql://host/", "bench"))
        .isEqualTo("jdbc:postgresql://host/bench");
  }
}
