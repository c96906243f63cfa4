package dev.berth.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The password of a server's roles; too long and too random to be guessed. */
record Password(String text) {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int BYTES = 24;

  static Password random() {
    return new Password(HexFormat.of().formatHex(bytes()));
  }

  /**
   * What the server keeps in its place (RFC 5802). One iteration is enough: more of them slow down
   * those who guess, and here they would slow down every connection only.
   */
  String verifier() {
    try {
      byte[] salt = bytes();
      byte[] salted = hmac(text.getBytes(UTF_8), salt, new byte[] {0, 0, 0, 1});
      byte[] stored =
          MessageDigest.getInstance("SHA-256").digest(hmac(salted, "Client Key".getBytes(UTF_8)));
      byte[] server = hmac(salted, "Server Key".getBytes(UTF_8));
      return "SCRAM-SHA-256$1:%s$%s:%s".formatted(base64(salt), base64(stored), base64(server));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] hmac(byte[] key, byte[]... parts) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, mac.getAlgorithm()));
    for (byte[] part : parts) {
      mac.update(part);
    }
    return mac.doFinal();
  }

  private static byte[] bytes() {
    byte[] bytes = new byte[BYTES];
    RANDOM.nextBytes(bytes);
    return bytes;
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  /** Without the password, wherever it may end up. */
  @Override
  public String toString() {
    return "a password";
  }
}
