import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CryptoSessionSecrets } from '../../../../../src/adapters/outbound/crypto-session-secrets/crypto-session-secrets.js';
import { CryptoRandom } from '../../../../../src/adapters/outbound/node-random/crypto-random.js';
import { isOwnFormPost } from '../../../../../src/domain/agent/sign-on/browser-navigation.js';
import {
  choiceField,
  choiceOctets,
  choiceValue,
  formOctetsOf,
  formText,
  ownerMarkText,
  readChoice,
  readKeptForm,
  writeKeptForm,
} from '../../../../../src/domain/agent/sign-on/kept-form.js';

const visible = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) });
const content = fc.record({
  origin: visible,
  target: visible,
  page: visible,
  salt: visible,
  owner: visible,
  body: visible,
});
const octetsOf = (text: string) => new TextEncoder().encode(text);

describe('a kept form', () => {
  it('opens as it was written, with its secret and no other', () => {
    const secrets = new CryptoSessionSecrets();
    const random = new CryptoRandom();
    fc.assert(
      fc.property(content, fc.nat(), (form, place) => {
        const [secret, other] = [random.token(), random.token()];
        const sealed = secrets.seal(secret, 'kept_form', writeKeptForm(form));
        expect(readKeptForm(secrets.open(secret, 'kept_form', sealed) ?? '')).toEqual(form);
        expect(secrets.open(other, 'kept_form', sealed)).toBeNull();
        expect(secrets.open(secret, 'id_token', sealed)).toBeNull();
        const at = place % sealed.length;
        const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
        const opened = secrets.open(secret, 'kept_form', changed);
        // The last character of base64url may have bits without meaning.
        if (opened !== null) expect(readKeptForm(opened)).toEqual(form);
      }),
    );
  });

  it('has every octet that a browser writes, and is none with any other octet', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (octets) => {
        const text = formText(octets);
        const isVisible = octets.every((octet) => octet >= 0x21 && octet <= 0x7e);
        expect(text === null ? null : formOctetsOf(text)).toEqual(isVisible ? octets : null);
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }))), (fields) => {
        const written = new URLSearchParams(fields).toString();
        expect(formText(octetsOf(written))).toBe(written);
      }),
    );
  });

  it('has an owner that only the same user under the same salt has', () => {
    const owner = fc.record({
      method: fc.constantFrom('saml' as const, 'oidc' as const),
      provider: fc.string(),
      userId: fc.string(),
    });
    fc.assert(
      fc.property(visible, visible, owner, owner, (salt, otherSalt, one, other) => {
        const isSame = salt === otherSalt && JSON.stringify(one) === JSON.stringify(other);
        expect(ownerMarkText(salt, one) === ownerMarkText(otherSalt, other)).toBe(isSame);
      }),
    );
  });
});

describe('the choice about a form', () => {
  const token = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 });
  const choice = fc.constantFrom('send' as const, 'drop' as const);

  it('is read as a browser posts the button', () => {
    fc.assert(
      fc.property(choice, token, (wish, given) => {
        const posted = octetsOf(new URLSearchParams([[choiceField, choiceValue(wish, given)]]).toString());
        expect(posted).toHaveLength(choiceOctets);
        expect(readChoice(posted)).toEqual({ choice: wish, token: given });
      }),
    );
  });

  it('is no other form', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: choiceOctets - 1, maxLength: choiceOctets + 1 }), (octets) => {
        expect(readChoice(octets)).toBeNull();
      }),
    );
    for (const text of [
      `${choiceField}=keep-${'0'.repeat(64)}`,
      `${choiceField}=send-${'0'.repeat(63)}A`,
      `${choiceField}=send-${'0'.repeat(64)}&a=`,
      `${choiceField}=send-${'0'.repeat(63)}`,
    ]) {
      expect(readChoice(octetsOf(text))).toBeNull();
    }
  });
});

describe('a form of the own origin', () => {
  const origin = 'https://app.example';
  const head = {
    accept: 'text/html',
    'sec-fetch-site': 'same-origin',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
    origin,
    'content-type': 'application/x-www-form-urlencoded',
  };
  const isForm = (fields: Readonly<Record<string, string>>, method = 'POST') =>
    isOwnFormPost(method, Object.entries(fields).flat(), origin, ['X-API-Key']);

  it('is none if one field has another value', () => {
    expect(isForm(head)).toBe(true);
    expect(isForm({ accept: '*/*', 'sec-fetch-site': 'same-origin', 'content-type': head['content-type'] })).toBe(true);
    fc.assert(
      fc.property(
        fc.constantFrom('sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest', 'origin', 'content-type'),
        visible,
        (name, value) => {
          fc.pre(value.toLowerCase() !== head[name as keyof typeof head]);
          expect(isForm({ ...head, [name]: value })).toBe(false);
        },
      ),
    );
    for (const method of ['GET', 'PUT', 'post', 'QUERY']) expect(isForm(head, method)).toBe(false);
    expect(isForm({ ...head, 'x-api-key': 'k' })).toBe(false);
  });
});
