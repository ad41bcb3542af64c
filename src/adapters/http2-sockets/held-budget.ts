/** Octets that a header block usually has, at the most: what a connection has held of one counts beyond these. */
export const usualBlockOctets = 16_384;

/** What all connections together may have held of blocks that are longer and not whole, in octets. */
export class HeldBudget {
  left: number;

  constructor(octets: number) {
    this.left = octets;
  }
}

/** Of the process. As much as is held of the heads of HTTP/1.1 on one listener. */
export const processBudget = new HeldBudget(67_108_864);
