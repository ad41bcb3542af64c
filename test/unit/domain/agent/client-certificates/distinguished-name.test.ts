import { describe, expect, it } from 'vitest';
import {
  foldDirectoryText,
  formatDistinguishedName,
  maximumDistinguishedNameLength,
  nameKey,
  parseDistinguishedName,
} from '../../../../../src/domain/agent/client-certificates/distinguished-name.js';
import type { DistinguishedName, NameAttribute } from '../../../../../src/domain/shared/certificate.js';

const sameName = (left: DistinguishedName, right: DistinguishedName): boolean => nameKey(left) === nameKey(right);

const text = (type: string, value: string): NameAttribute => ({ type, isText: true, value });
const cn = '2.5.4.3';
const o = '2.5.4.10';

const parsed = (name: string): DistinguishedName => {
  const result = parseDistinguishedName(name);
  if (!result.ok) throw new Error(`${name}: ${result.error}`);
  return result.value;
};

const firstValue = (name: string): string | undefined => parsed(name)[0]?.[0]?.value;

describe('parseDistinguishedName', () => {
  it('keeps the order of the certificate, which is the reverse of the text', () => {
    expect(parsed('CN=api,O=Example,C=DE')).toEqual([[text('2.5.4.6', 'DE')], [text(o, 'Example')], [text(cn, 'api')]]);
  });

  it('reads the examples of RFC 4514, section 4', () => {
    expect(parsed('UID=jsmith,DC=example,DC=net')).toEqual([
      [text('0.9.2342.19200300.100.1.25', 'net')],
      [text('0.9.2342.19200300.100.1.25', 'example')],
      [text('0.9.2342.19200300.100.1.1', 'jsmith')],
    ]);
    expect(parsed('OU=Sales+CN=J.  Smith,DC=example,DC=net')[2]).toEqual([
      text('2.5.4.11', 'Sales'),
      text(cn, 'J.  Smith'),
    ]);
    expect(firstValue('CN=James \\"Jim\\" Smith\\, III')).toBe('James "Jim" Smith, III');
    expect(firstValue('CN=Before\\0dAfter')).toBe('Before\rAfter');
    expect(parsed('1.3.6.1.4.1.1466.0=#04024869')).toEqual([
      [{ type: '1.3.6.1.4.1.1466.0', isText: false, value: '04024869' }],
    ]);
    expect(firstValue('CN=Lu\\C4\\8Di\\C4\\87')).toBe('Lučić');
  });

  it.each([
    ['CN = api , O = Example', 'CN=api,O=Example'],
    ['CN=api;O=Example', 'CN=api,O=Example'],
    ['  cn=api,o=Example  ', 'CN=api,O=Example'],
    ['2.5.4.3=api,OID.2.5.4.10=Example', 'CN=api,O=Example'],
    ['oid.2.5.4.3=api', 'CN=api'],
    ['commonName=api,organizationName=Example', 'CN=api,O=Example'],
    ['CN="api",O="Example"', 'CN=api,O=Example'],
    ['CN="a,b;c+d=e<f>#g"', 'CN=a\\,b\\;c\\+d=e\\<f\\>#g'],
    ['CN="  two  "', 'CN=\\  two \\ '],
    ['CN="say \\"hi\\" \\\\"', 'CN=say \\"hi\\" \\\\'],
    ['CN="\\C3\\A9"', 'CN=é'],
    ['CN=#0c03617069', 'CN=api'],
    ['CN=#1303617069', 'CN=api'],
    ['CN=#1E06006100700069', 'CN=api'],
    ['CN=#1c0c000000610000007000000069', 'CN=api'],
    ['emailAddress=a@b.example', 'E=a@b.example'],
    ['1.2.840.113549.1.9.1=a@b.example', 'email=a@b.example'],
    ['S=Bavaria,SN=Doe,G=J', 'ST=Bavaria,surname=Doe,givenName=J'],
    ['CN=a\\ ', 'CN=a\\20'],
    ['CN=a\\ \\ ,O=b', 'CN=a\\20\\20,O=b'],
    ['CN=a=b', 'CN=a\\=b'],
    ['CN=\\#1', 'CN=\\231'],
  ])('reads %s as it reads %s', (spelling, plain) => {
    expect(parsed(spelling)).toEqual(parsed(plain));
  });

  it('drops spaces around a value and keeps escaped ones', () => {
    expect(firstValue('CN=  a b  ')).toBe('a b');
    expect(parsed('CN=\\  a b \\  ,O=x').at(-1)).toEqual([text(cn, '  a b  ')]);
  });

  it('accepts empty values, and several attributes in one part', () => {
    expect(firstValue('CN=')).toBe('');
    expect(firstValue('CN=""')).toBe('');
    expect(parsed('CN=,O=')).toEqual([[text(o, '')], [text(cn, '')]]);
    expect(parsed('CN=a+O=b + OU=c')).toEqual([[text(cn, 'a'), text(o, 'b'), text('2.5.4.11', 'c')]]);
  });

  it.each([
    ['', 'is empty'],
    ['   ', 'is empty'],
    ['api', 'lacks a TYPE=value at character 1'],
    ['CN=api,', 'lacks a TYPE=value at character 8'],
    ['CN=api,,O=x', 'lacks a TYPE=value at character 8'],
    ['=api', 'lacks a TYPE=value at character 1'],
    ['CN api', 'lacks a TYPE=value at character 1'],
    ['/CN=api/O=Example', 'begins with "/": write it as in "CN=api,O=Example", most specific part first'],
    ['XN=api', 'has the unknown attribute type "XN": write its object identifier'],
    ['constructor=api', 'has the unknown attribute type "constructor": write its object identifier'],
    ['3.1=api', 'has the unknown attribute type "3.1": write its object identifier'],
    ['1.40=api', 'has the unknown attribute type "1.40": write its object identifier'],
    ['2.05.4=api', 'has the unknown attribute type "2.05.4": write its object identifier'],
    ['2=api', 'has the unknown attribute type "2": write its object identifier'],
    ['CN=a\\', 'has a backslash that is not followed by a special character or two hexadecimal digits'],
    ['CN=a\\zb', 'has a backslash that is not followed by a special character or two hexadecimal digits'],
    ['CN=a\\4Łb', 'has a backslash that is not followed by a special character or two hexadecimal digits'],
    ['CN=a\\C3b', 'has hexadecimal octets that are not UTF-8'],
    ['CN=\\ED\\A0\\80', 'has hexadecimal octets that are not UTF-8'],
    ['CN=\\C0\\80', 'has hexadecimal octets that are not UTF-8'],
    ['CN="a', 'has an unclosed quote'],
    ['CN="a"b', 'has something between a value and a separator'],
    ['CN=a"b"', 'has """ without a backslash before it'],
    ['CN=a <b>', 'has "<" without a backslash before it'],
    ['CN=a\nb', 'has a control character: write it as a backslash and two hexadecimal digits'],
    ['CN=a\0', 'has a control character: write it as a backslash and two hexadecimal digits'],
    ['CN="\x7f"', 'has a control character: write it as a backslash and two hexadecimal digits'],
    ['CN=#', 'has a "#" that is not followed by one value in hexadecimal DER'],
    ['CN=#0c0', 'has a "#" that is not followed by one value in hexadecimal DER'],
    ['CN=#0c0461', 'has a "#" that is not followed by one value in hexadecimal DER'],
    ['CN=#0c016161', 'has a "#" that is not followed by one value in hexadecimal DER'],
    ['CN=#0c810161', 'has a "#" that is not followed by one value in hexadecimal DER'],
    ['CN=#0c80610000', 'has a "#" that is not followed by one value in hexadecimal DER'],
    ['CN=#0c0161x', 'has something between a value and a separator'],
    ['CN=\ud800', 'has half of a surrogate pair'],
  ])('refuses %j', (name, error) => {
    expect(parseDistinguishedName(name)).toEqual({ ok: false, error });
  });

  it('refuses an overlong text, and reads the longest one quickly', () => {
    const longest = 'CN='.padEnd(maximumDistinguishedNameLength, '\\ ');
    expect(parsed(longest.slice(0, maximumDistinguishedNameLength - 1))).toHaveLength(1);
    expect(parseDistinguishedName(`${longest}a`)).toEqual({
      ok: false,
      error: `is longer than ${maximumDistinguishedNameLength} characters`,
    });
  });
});

describe('formatDistinguishedName', () => {
  it('writes the most specific part first, and uses type names where they exist', () => {
    expect(
      formatDistinguishedName([
        [text('2.5.4.6', 'DE')],
        [text(o, 'Example'), text('2.5.4.11', 'Ops')],
        [text(cn, 'api')],
        [text('1.2.840.113549.1.9.1', 'a@b.example')],
      ]),
    ).toBe('emailAddress=a@b.example,CN=api,O=Example+OU=Ops,C=DE');
  });

  it.each([
    ['a,b', 'CN=a\\,b'],
    ['+";<>\\', 'CN=\\+\\"\\;\\<\\>\\\\'],
    ['#a#', 'CN=\\#a#'],
    [' ', 'CN=\\ '],
    ['  a  ', 'CN=\\  a \\ '],
    ['a=b', 'CN=a=b'],
    ['\0a\r\n', 'CN=\\00a\\0D\\0A'],
    ['é', 'CN=é'],
    ['', 'CN='],
  ])('escapes %j', (value, expected) => {
    expect(formatDistinguishedName([[text(cn, value)]])).toBe(expected);
  });

  it('writes values without a name or text as DER', () => {
    expect(formatDistinguishedName([[text('1.2.3.4', 'é')]])).toBe('1.2.3.4=#0c02c3a9');
    expect(formatDistinguishedName([[{ type: cn, isText: false, value: '0401ff' }]])).toBe('CN=#0401ff');
    const long = 'x'.repeat(300);
    expect(formatDistinguishedName([[text('1.2.3.4', long)]])).toBe(`1.2.3.4=#0c82012c${'78'.repeat(300)}`);
    expect(parsed(`1.2.3.4=#0c82012c${'78'.repeat(300)}`)).toEqual([[text('1.2.3.4', long)]]);
  });

  it('cannot produce another name for any value', () => {
    const forged = [[text(o, 'Evil,CN=admin')]];
    expect(parsed(formatDistinguishedName(forged))).toEqual(forged);
    expect(sameName(forged, parsed('O=Evil,CN=admin'))).toBe(false);
  });
});

describe('nameKey', () => {
  it.each([
    ['CN=api,O=Example', 'cn=API, o=EXAMPLE'],
    ['CN=api+OU=Ops,O=Example', 'OU=ops+CN=api,O=Example'],
    ['CN=John  Smith', 'CN=\\ John Smith\\ '],
    ['CN=Straße', 'CN=STRASSE'],
    ['CN=ΟΔΟΣ', 'CN=οδος'],
    ['CN=οδοσ', 'CN=οδος'],
    ['CN=Amélie', 'CN=Ame\u0301lie'],
    ['CN=\uff21\uff30\uff29', 'CN=api'],
    ['CN=a\u00a0b', 'CN=a b'],
    ['CN=\u212a', 'CN=k'],
    ['DC=Example', 'dc=example'],
    ['1.2.3.4=api', '1.2.3.4=#0c03617069'],
  ])('treats %s and %s as equal', (left, right) => {
    expect(sameName(parsed(left), parsed(right))).toBe(true);
  });

  it.each([
    ['CN=api,O=Example', 'O=Example,CN=api'],
    ['CN=api,OU=a', 'CN=api+OU=a'],
    ['CN=api', 'CN=api,O=Example'],
    ['CN=api', 'OU=api'],
    ['CN=a b', 'CN=ab'],
    ['CN=a,CN=a', 'CN=a'],
    ['CN=a+CN=a', 'CN=a'],
    ['CN=api', 'CN=api\\00'],
    ['CN=admin', 'CN=ad\\00min'],
    ['CN=admin', 'CN=adm\u200bin'],
    ['CN=admin', 'CN=adm\u00adin'],
    ['CN=admin', 'CN=adm\u0131n'],
    ['CN=admin', 'CN=аdmin'],
    ['CN=a b', 'CN=a\\09b'],
    ['CN=a b', 'CN=a\\0Ab'],
    ['CN=a', 'CN=a\\0A'],
    ['CN=\\#0401ff', 'CN=#0401ff'],
    ['CN=0401ff', 'CN=#0401ff'],
    ['CN=a+CN=b2.5.4.3=c', 'CN=a2.5.4.3=b+CN=c'],
    ['1.2.3.4=api', '1.2.3.4=API'],
    ['1.2.3.4=a  b', '1.2.3.4=a b'],
    ['CN=#0401aa', 'CN=#0401bb'],
    ['CN=a+O=b', 'CN=b+O=a'],
  ])('treats %s and %s as different', (left, right) => {
    expect(sameName(parsed(left), parsed(right))).toBe(false);
  });

  it('folds no letter onto an ASCII one except those that Unicode makes equal', () => {
    const folded: string[] = [];
    for (let code = 0x80; code <= 0x1ffff; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const letter = String.fromCodePoint(code);
      const plain = foldDirectoryText(letter);
      // A letter with a compatibility form is that form by NFKC, whatever its case.
      if (/^[a-z]$/.test(plain) && letter.normalize('NFKC') === letter) folded.push(letter);
    }
    expect(folded).toEqual([]);
  });
});
