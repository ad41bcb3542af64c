/** Short names of types; those of RFC 4514, section 3, first. */
const shortNames: readonly (readonly [type: string, name: string])[] = [
  ['2.5.4.3', 'CN'],
  ['2.5.4.7', 'L'],
  ['2.5.4.8', 'ST'],
  ['2.5.4.10', 'O'],
  ['2.5.4.11', 'OU'],
  ['2.5.4.6', 'C'],
  ['2.5.4.9', 'STREET'],
  ['0.9.2342.19200300.100.1.25', 'DC'],
  ['0.9.2342.19200300.100.1.1', 'UID'],
  ['2.5.4.4', 'SN'],
  ['2.5.4.5', 'serialNumber'],
  ['2.5.4.12', 'title'],
  ['2.5.4.13', 'description'],
  ['2.5.4.15', 'businessCategory'],
  ['2.5.4.17', 'postalCode'],
  ['2.5.4.18', 'postOfficeBox'],
  ['2.5.4.41', 'name'],
  ['2.5.4.42', 'givenName'],
  ['2.5.4.43', 'initials'],
  ['2.5.4.44', 'generationQualifier'],
  ['2.5.4.46', 'dnQualifier'],
  ['2.5.4.65', 'pseudonym'],
  ['2.5.4.97', 'organizationIdentifier'],
  ['1.2.840.113549.1.9.1', 'emailAddress'],
  ['1.2.840.113549.1.9.2', 'unstructuredName'],
  ['1.3.6.1.4.1.311.60.2.1.1', 'jurisdictionL'],
  ['1.3.6.1.4.1.311.60.2.1.2', 'jurisdictionST'],
  ['1.3.6.1.4.1.311.60.2.1.3', 'jurisdictionC'],
];

/** Other names that programs use. */
const aliases: readonly (readonly [name: string, type: string])[] = [
  ['commonName', '2.5.4.3'],
  ['localityName', '2.5.4.7'],
  ['stateOrProvinceName', '2.5.4.8'],
  ['S', '2.5.4.8'],
  ['organizationName', '2.5.4.10'],
  ['organizationalUnitName', '2.5.4.11'],
  ['countryName', '2.5.4.6'],
  ['streetAddress', '2.5.4.9'],
  ['domainComponent', '0.9.2342.19200300.100.1.25'],
  ['userId', '0.9.2342.19200300.100.1.1'],
  ['surname', '2.5.4.4'],
  ['GN', '2.5.4.42'],
  ['G', '2.5.4.42'],
  ['T', '2.5.4.12'],
  ['E', '1.2.840.113549.1.9.1'],
  ['email', '1.2.840.113549.1.9.1'],
];

const typeByName: ReadonlyMap<string, string> = new Map([
  ...shortNames.map(([type, name]) => [name.toLowerCase(), type] as const),
  ...aliases.map(([name, type]) => [name.toLowerCase(), type] as const),
]);
const nameByType: ReadonlyMap<string, string> = new Map(shortNames);

/** The object identifier of CN. */
export const commonNameType = '2.5.4.3';

/** The object identifier of a name, case-insensitive; null if unknown. */
export const attributeTypeOf = (name: string): string | null => typeByName.get(name.toLowerCase()) ?? null;

/** The short name of an object identifier; null if it has none. */
export const attributeNameOf = (type: string): string | null => nameByType.get(type) ?? null;

/**
 * Whether values are compared case-insensitively: those of all named types (RFC 4519; RFC 2985 for the e-mail address).
 */
export const ignoresCase = (type: string): boolean => nameByType.has(type);

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** Whether a text is a dotted object identifier: at least two numbers without leading zeros (RFC 4512). */
export const isObjectIdentifier = (text: string): boolean => {
  const numbers = text.split('.');
  if (numbers.length < 2) return false;
  for (const number of numbers) {
    if (number === '' || (number.length > 1 && number.startsWith('0'))) return false;
    for (let index = 0; index < number.length; index += 1) if (!isDigit(number.charCodeAt(index))) return false;
  }
  const [root = '', second = ''] = numbers;
  if (root.length > 1 || root > '2') return false;
  return root === '2' || (second.length <= 2 && Number(second) < 40);
};
