const isOptionalSpace = (code: number): boolean => code === 0x20 || code === 0x09;

/** Text without spaces and tabs around it (OWS: RFC 9110, section 5.6.3). */
export const trimSpace = (text: string): string => {
  let start = 0;
  let end = text.length;
  while (start < end && isOptionalSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isOptionalSpace(text.charCodeAt(end - 1))) end -= 1;
  return start === 0 && end === text.length ? text : text.slice(start, end);
};

/** The members of a comma-separated list without empty ones (RFC 9110, section 5.6.1). Quotes have no meaning here. */
export const listMembers = (value: string): string[] => {
  const members: string[] = [];
  for (const part of value.split(',')) {
    const member = trimSpace(part);
    if (member !== '') members.push(member);
  }
  return members;
};

const tokenCharacters = (() => {
  const table = new Uint8Array(128);
  for (const letter of "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
    table[letter.charCodeAt(0)] = 1;
  }
  return table;
})();

/**
 * Whether a text is a token (RFC 9110, section 5.6.2), as methods, field names and parameter names
 * are.
 */
export const isToken = (text: string): boolean => {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 127 || tokenCharacters[code] !== 1) return false;
  }
  return text.length > 0;
};

/**
 * Whether a text is a field value (RFC 9110, section 5.5): octets without control characters except
 * tab.
 */
export const isFieldValue = (text: string): boolean => {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if ((code < 0x20 && code !== 0x09) || code === 0x7f || code > 0xff) return false;
  }
  return true;
};
