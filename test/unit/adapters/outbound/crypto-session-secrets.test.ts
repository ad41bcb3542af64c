import { describe, expect, it } from 'vitest';
import { CryptoSessionSecrets } from '../../../../src/adapters/outbound/crypto-session-secrets/crypto-session-secrets.js';
import { decodeBase64, encodeBase64Url } from '../../../../src/domain/shared/base64.js';

const id = 'A'.repeat(43);
const secrets = new CryptoSessionSecrets();

describe('a secret of a session', () => {
  it('opens with the id of its session', () => {
    for (const text of ['', 'a token', 'ä€😀', 'x'.repeat(100_000)]) {
      expect(secrets.open(id, 'id_token', secrets.seal(id, 'id_token', text))).toBe(text);
    }
  });

  it('is different each time, and shows nothing of the text', () => {
    const sealed = secrets.seal(id, 'id_token', 'a token of the user');
    expect(secrets.seal(id, 'id_token', 'a token of the user')).not.toBe(sealed);
    expect(Buffer.from(sealed, 'base64url').includes('token')).toBe(false);
  });

  it('does not open with another id, or for another use', () => {
    const sealed = secrets.seal(id, 'id_token', 'a token');
    expect(secrets.open(`B${id.slice(1)}`, 'id_token', sealed)).toBeNull();
    expect(secrets.open(id, 'refresh_token', sealed)).toBeNull();
    expect(secrets.open('', 'id_token', sealed)).toBeNull();
  });

  it('does not open if any octet differs, is missing, or is added', () => {
    const octets = decodeBase64(secrets.seal(id, 'id_token', 'a token'), 'url') as Uint8Array;
    for (let index = 0; index < octets.length; index += 1) {
      const changed = Uint8Array.from(octets);
      changed[index] = (changed[index] as number) ^ 1;
      expect(secrets.open(id, 'id_token', encodeBase64Url(changed))).toBeNull();
      expect(secrets.open(id, 'id_token', encodeBase64Url(octets.subarray(0, index)))).toBeNull();
    }
    expect(secrets.open(id, 'id_token', encodeBase64Url(Uint8Array.from([...octets, 0])))).toBeNull();
    expect(secrets.open(id, 'id_token', 'no base64!')).toBeNull();
  });
});
