/** HMAC_DRBG with SHA-256 (NIST SP 800-90A Rev. 1, 10.1.2): the dice of a committed shoe. */

import { concat, u8 } from "./bytes.js";
import { hmac } from "./sha256.js";

const NOTHING = new Uint8Array(0);

export class HmacDrbg {
  constructor({ entropy, nonce, personalization }) {
    this.key = new Uint8Array(32);
    this.value = new Uint8Array(32).fill(1);
    this.stir(concat(entropy, nonce, personalization));
  }

  /** Give bytes. What comes depends on the sizes asked for, so ask exactly as the format says. */
  generate(length, additional = NOTHING) {
    if (additional.length) this.stir(additional);
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length; at += 32) {
      this.value = hmac(this.key, this.value);
      bytes.set(this.value.subarray(0, Math.min(32, length - at)), at);
    }
    this.stir(additional);
    return bytes;
  }

  stir(provided) {
    for (const turn of provided.length ? [0, 1] : [0]) {
      this.key = hmac(this.key, this.value, u8(turn), provided);
      this.value = hmac(this.key, this.value);
    }
  }
}
