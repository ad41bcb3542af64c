/** Builders of DER, by hand: lists that no authority would issue. */
export const der = (tag: number, ...contents: readonly Uint8Array[]): Uint8Array => {
  const body = Buffer.concat(contents);
  const octets: number[] = [];
  for (let rest = body.length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  const length = body.length < 0x80 ? [body.length] : [0x80 | octets.length, ...octets];
  return Buffer.concat([Uint8Array.of(tag, ...length), body]);
};

export const sequence = (...items: readonly Uint8Array[]): Uint8Array => der(0x30, ...items);
export const octets = (hex: string): Uint8Array => Buffer.from(hex, 'hex');
export const utcTime = (text: string): Uint8Array => der(0x17, Buffer.from(text));
export const generalizedTime = (text: string): Uint8Array => der(0x18, Buffer.from(text));

/** ecdsa-with-SHA256. */
export const ecdsaSha256 = sequence(der(0x06, octets('2a8648ce3d040302')));

/** `CN=` and the text. */
export const commonNameOf = (text: string): Uint8Array =>
  sequence(der(0x31, sequence(der(0x06, octets('550403')), der(0x0c, Buffer.from(text)))));

export const extension = (identifierHex: string, isCritical: boolean, value = octets('0500')): Uint8Array =>
  sequence(der(0x06, octets(identifierHex)), ...(isCritical ? [der(0x01, octets('ff'))] : []), der(0x04, value));

export const entry = (serialHex: string, ...more: readonly Uint8Array[]): Uint8Array =>
  sequence(der(0x02, octets(serialHex)), utcTime('260101000000Z'), ...more);

export interface MadeList {
  readonly version?: Uint8Array | null;
  readonly algorithm?: Uint8Array;
  readonly outerAlgorithm?: Uint8Array;
  readonly issuer?: Uint8Array;
  readonly thisUpdate?: Uint8Array;
  readonly nextUpdate?: Uint8Array | null;
  /** Null: without the field. */
  readonly entries?: readonly Uint8Array[] | null;
  readonly extensions?: readonly Uint8Array[];
  readonly more?: readonly Uint8Array[];
  readonly signature?: Uint8Array;
}

/** A list of the authority `authority` from 2026-01-01 to 2026-02-01, with a signature of nobody. */
export const madeList = (plan: MadeList = {}): Uint8Array => {
  const { version = der(0x02, octets('01')), algorithm = ecdsaSha256, nextUpdate = utcTime('260201000000Z') } = plan;
  const { entries = [entry('01')], extensions = [], more = [] } = plan;
  const content = sequence(
    ...(version === null ? [] : [version]),
    algorithm,
    plan.issuer ?? commonNameOf('authority'),
    plan.thisUpdate ?? utcTime('260101000000Z'),
    ...(nextUpdate === null ? [] : [nextUpdate]),
    ...(entries === null ? [] : [sequence(...entries)]),
    ...(extensions.length === 0 ? [] : [der(0xa0, sequence(...extensions))]),
    ...more,
  );
  return sequence(content, plan.outerAlgorithm ?? algorithm, plan.signature ?? der(0x03, octets('00'), octets('abcd')));
};
