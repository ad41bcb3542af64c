const behind = ',"duration_ms":';

const first = 100;

/** Those that HTTP has (RFC 9110, section 15). */
const statuses = Array.from({ length: 500 }, (_, index) => `${first + index}${behind}`);

/** A status in a line of the access log, with what stands behind it there. */
export const statusText = (status: number): string => statuses[status - first] ?? `${status}${behind}`;
