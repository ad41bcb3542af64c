import { contentCodings } from './content-codings.js';
import { listMembers } from './field-syntax.js';
import { allHeaders, type HeaderList, withHeader } from './header-list.js';

const field = 'accept-encoding';

/** Content codings that the gateway can decode. */
const readable: readonly string[] = [...contentCodings, 'identity'];

/** Another name of gzip (RFC 9110, section 8.4.1.3). */
const isReadable = (coding: string): boolean => readable.includes(coding) || coding === 'x-gzip';

/**
 * Restricts Accept-Encoding (RFC 9110, section 12.5.3) to codings that the gateway can decode. Sets
 * `identity` if no coding is left or the field is absent. Returns the same list if nothing changes.
 */
export const withReadableCodings = (headers: HeaderList): HeaderList => {
  const members = allHeaders(headers, field).flatMap(listMembers);
  const codings = members.map((member) => (member.split(';', 1)[0] as string).trim().toLowerCase());
  if (codings.length > 0 && codings.every(isReadable)) return headers;
  const named = new Set(codings);
  const offered = members.flatMap((member, index) => {
    const coding = codings[index] as string;
    if (isReadable(coding)) return [member];
    // `*` stands for every coding that the field does not name, with the same weight.
    if (coding === '*') return readable.filter((any) => !named.has(any)).map((any) => any + member.slice(1));
    return [];
  });
  return withHeader(headers, 'Accept-Encoding', offered.length === 0 ? 'identity' : offered.join(', '));
};
