/** Fields that say how a message is framed, or what becomes of its connection, by number; 0 is any other. */
export const hostField = 1;
export const expectField = 2;
export const upgradeField = 3;
export const connectionField = 4;
export const contentLengthField = 5;
export const transferEncodingField = 6;

interface KnownName {
  readonly field: number;
  readonly octets: Uint8Array;
}

const known = (field: number, name: string): KnownName => ({
  field,
  octets: Uint8Array.from(name, (letter) => letter.charCodeAt(0)),
});

/** In lower case, by length: no two are of one length. */
const byLength: readonly (KnownName | undefined)[] = [
  known(hostField, 'host'),
  known(expectField, 'expect'),
  known(upgradeField, 'upgrade'),
  known(connectionField, 'connection'),
  known(contentLengthField, 'content-length'),
  known(transferEncodingField, 'transfer-encoding'),
].reduce<(KnownName | undefined)[]>((lengths, name) => {
  lengths[name.octets.length] = name;
  return lengths;
}, new Array<KnownName | undefined>(18).fill(undefined));

/** The number of the field whose name, a token in any case, stands between the two places. */
export const knownField = (octets: Uint8Array, start: number, end: number): number => {
  const length = end - start;
  const name = length < 18 ? byLength[length] : undefined;
  if (name === undefined) return 0;
  const expected = name.octets;
  for (let index = 0; index < length; index += 1) {
    // Of tokens, letters and their capitals alone are one with this bit; a hyphen has it.
    if (((octets[start + index] as number) | 0x20) !== expected[index]) return 0;
  }
  return name.field;
};

/** Whether the octets between two places are this text, in any case. `lower`: letters and hyphens in lower case. */
export const isText = (octets: Uint8Array, start: number, end: number, lower: string): boolean => {
  if (end - start !== lower.length) return false;
  for (let index = 0; index < lower.length; index += 1) {
    const octet = octets[start + index] as number;
    const folded = octet >= 0x41 && octet <= 0x5a ? octet | 0x20 : octet;
    if (folded !== lower.charCodeAt(index)) return false;
  }
  return true;
};
