const begin = '-----BEGIN CERTIFICATE-----';
const end = '-----END CERTIFICATE-----';

/** The certificates of a PEM text, each with its own armour (RFC 7468). What is around them is passed over. */
export const pemCertificateBlocks = (text: string): readonly string[] => {
  const blocks: string[] = [];
  let position = 0;
  for (;;) {
    const start = text.indexOf(begin, position);
    const stop = start < 0 ? -1 : text.indexOf(end, start);
    if (stop < 0) return blocks;
    position = stop + end.length;
    blocks.push(text.slice(start, position));
  }
};
