let second = -1;
let line = '';

/** Current Date field line (RFC 9110, section 6.6.1) with CRLF, rebuilt once a second. */
export const dateLine = (): string => {
  const nowMs = Date.now();
  const now = Math.floor(nowMs / 1_000);
  if (now !== second) {
    second = now;
    line = `Date: ${new Date(nowMs).toUTCString()}\r\n`;
  }
  return line;
};
