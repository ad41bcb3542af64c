import { describe, expect, it } from 'vitest';
import { parseApiKey, parseBasicUser } from '../../../../../src/domain/agent/configuration/credential-entries.js';
import { keyNameFault, newApiKeyFault } from '../../../../../src/domain/agent/identity/new-api-key.js';
import { newPasswordFault, userNameFault } from '../../../../../src/domain/agent/identity/new-password.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';

describe('a new password', () => {
  it('is refused if no client can send it, or bcrypt would truncate it', () => {
    expect(newPasswordFault('', 'argon2id')).toContain('empty');
    expect(newPasswordFault('a\tb', 'argon2id')).toContain('control characters');
    expect(newPasswordFault('a\ud800', 'argon2id')).toContain('broken');
    expect(newPasswordFault('p'.repeat(73), 'bcrypt')).toContain('72 bytes');
    expect(newPasswordFault('ä'.repeat(37), 'bcrypt')).toContain('72 bytes');
    expect(newPasswordFault('p'.repeat(1025), 'scrypt')).toContain('1024 bytes');
  });

  it('can be any other text', () => {
    expect(newPasswordFault(' correct horse: ✓ ', 'argon2id')).toBeNull();
    expect(newPasswordFault('p'.repeat(72), 'bcrypt')).toBeNull();
    expect(newPasswordFault('p'.repeat(73), 'scrypt')).toBeNull();
  });
});

describe('a new API key', () => {
  it('is refused if its digest could be searched, or no header can carry it', () => {
    expect(newApiKeyFault('')).toContain('empty');
    expect(newApiKeyFault('a'.repeat(19))).toContain('fewer than 20 characters');
    expect(newApiKeyFault(` ${'a'.repeat(20)}`)).toContain('space at either end');
    expect(newApiKeyFault('ä'.repeat(20))).toContain('printable ASCII');
    expect(newApiKeyFault(`${'a'.repeat(20)}\n`)).toContain('printable ASCII');
    expect(newApiKeyFault('a'.repeat(1025))).toContain('longer');
  });

  it('can be any other text', () => {
    expect(newApiKeyFault('a'.repeat(20))).toBeNull();
    expect(newApiKeyFault('jHck2FCsSK8Mtf5xNlNy5x-VCdYFB0jualmNtyZ81GE')).toBeNull();
  });
});

describe('a name of a new entry', () => {
  const awkward = ['', 'a:b', ' a', 'a ', 'a\nb', '\ud800', 'ann', 'ann b', 'ä', 'a,b', '@ann', '#ann'];

  it('is refused if it changes how the entry parses', () => {
    for (const name of awkward) {
      const entry = parseBasicUser(new Secret(`${name}:password`.trim()));
      const comesBack = entry.ok && entry.value.user === name && !/^[@#]/.test(name);
      expect([name, userNameFault(name) === null]).toEqual([name, comesBack]);
    }
  });

  it('is refused for a key if it changes how the entry parses', () => {
    for (const name of awkward) {
      const entry = parseApiKey(new Secret(`sha256:${'0'.repeat(64)}:${name}`.trim()));
      expect([name, keyNameFault(name) === null]).toEqual([name, entry.ok && entry.value.name === name]);
    }
  });
});
