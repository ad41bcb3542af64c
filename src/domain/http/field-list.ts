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
