/**
 * Header fields as one flat array, `[name, value, name, value, ...]`, in the order in which they came and with the
 * spelling they had. Values are byte strings: every character is one octet (RFC 9110, section 5.5).
 */
export type HeaderList = readonly string[];

export const noHeaders: HeaderList = [];

/** The first value of a field, or undefined. `lowerName` must be lower case. */
export const firstHeader = (headers: HeaderList, lowerName: string): string | undefined => {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if (name.length === lowerName.length && name.toLowerCase() === lowerName) return headers[index + 1];
  }
  return undefined;
};

/** Every value of a field, in order. `lowerName` must be lower case. */
export const allHeaders = (headers: HeaderList, lowerName: string): string[] => {
  const values: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if (name.length === lowerName.length && name.toLowerCase() === lowerName) values.push(headers[index + 1] as string);
  }
  return values;
};
