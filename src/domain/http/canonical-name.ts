const isLowerAlphanumeric = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);

/**
 * A field name as the most lenient upstream reads it: lower case, and `-` for everything but letters and
 * digits. CGI (RFC 3875, section 4.1.18) reads `X_User.Id` as X-User-Id.
 */
export const canonicalName = (name: string): string => {
  const lower = name.toLowerCase();
  let canonical = '';
  let copied = 0;
  for (let index = 0; index < lower.length; index += 1) {
    const code = lower.charCodeAt(index);
    if (code === 0x2d || isLowerAlphanumeric(code)) continue;
    canonical += `${lower.slice(copied, index)}-`;
    copied = index + 1;
  }
  return copied === 0 ? lower : canonical + lower.slice(copied);
};
