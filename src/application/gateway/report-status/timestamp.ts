/** ISO 8601 in UTC, with milliseconds. */
export const timestamp = (wallMs: number): string => new Date(wallMs).toISOString();
