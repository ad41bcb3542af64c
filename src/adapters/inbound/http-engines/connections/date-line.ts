let second = -1;
let line = '';

/** The Date field of a response that is made now (RFC 9110, section 6.6.1), with its line end; made anew once a second. */
export const dateLine = (): string => {
  const nowMs = Date.now();
  const now = Math.floor(nowMs / 1_000);
  if (now !== second) {
    second = now;
    line = `Date: ${new Date(nowMs).toUTCString()}\r\n`;
  }
  return line;
};
