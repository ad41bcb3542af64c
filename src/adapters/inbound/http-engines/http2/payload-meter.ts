/** Octets of frames that a connection may have sent in vain before it is asked what they were good for. */
const allowance = 1_048_576;

/** Octets of frames for one of what they carried, or of what was sent for them. */
const mostFrameOctets = 8;

/**
 * What a connection has carried: fields and bodies, both ways. Frames that carry nothing (PING, SETTINGS, PRIORITY,
 * WINDOW_UPDATE, empty DATA) cost their sender next to nothing; a peer that sends them in masses is found out by what
 * they are compared to.
 */
export class PayloadMeter {
  octets = 0;
  #forgiven = 0;

  /** Octets that came, or still come, and carry nothing any more. */
  forgive(octets: number): void {
    this.#forgiven += octets;
  }

  /** @param cameOctets all that was read of the connection */
  isFlood(cameOctets: number): boolean {
    return (cameOctets - this.#forgiven) / mostFrameOctets > this.octets + allowance;
  }
}
