import { type HeaderBlockFault, HeaderBlockScanner } from '../../../src/adapters/wire/http2/header-block-scanner.js';

export interface Scanned {
  readonly passed: Uint8Array[];
  /** `[code, last stream]` of each GOAWAY. */
  readonly goaways: [number, number][];
  readonly fault: HeaderBlockFault | null;
  readonly held: number;
}

/** What a scanner makes of octets that come in these pieces. */
export const scanned = (peer: 'client' | 'server', pieces: readonly Uint8Array[]): Scanned => {
  const passed: Uint8Array[] = [];
  const goaways: [number, number][] = [];
  const scanner = new HeaderBlockScanner(peer, {
    pass: (octets) => void passed.push(octets),
    goaway: (code, lastStream) => void goaways.push([code, lastStream]),
  });
  let fault: HeaderBlockFault | null = null;
  for (const piece of pieces) fault = scanner.take(piece);
  return { passed, goaways, fault, held: scanner.held };
};

/** A piece for each octet. */
export const octetByOctet = (octets: Uint8Array): Uint8Array[] => Array.from(octets, (octet) => Uint8Array.of(octet));
