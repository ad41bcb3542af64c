import { execFileSync } from 'node:child_process';
import { mkdtempSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  maxTextFileOctets,
  NodeTextFileReader,
} from '../../../../src/adapters/outbound/node-text-files/node-text-file-reader.js';
import { readTextFile } from '../../../../src/adapters/outbound/node-text-files/read-text-file.js';

const folder = mkdtempSync(join(tmpdir(), 'pc-'));
const file = (name: string, content: string | Buffer = '') => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const reader = new NodeTextFileReader();

describe('NodeTextFileReader', () => {
  it('gives the text of a file', async () => {
    expect(await reader.read(file('text', 'ä\n'))).toEqual({ ok: true, value: 'ä\n' });
  });

  it('says why a file cannot be read', async () => {
    expect(await reader.read(join(folder, 'gone'))).toMatchObject({ error: expect.stringContaining('does not exist') });
    expect(await reader.read(folder)).toMatchObject({ error: expect.stringContaining('directory') });
    expect(await reader.read(file('binary', Buffer.from([0xff])))).toMatchObject({ error: 'is not UTF-8 text' });
    expect(await reader.read('/dev/zero')).toMatchObject({ error: expect.stringContaining('regular') });
    expect(await reader.read('a\0b')).toMatchObject({ ok: false });
  });

  it('reads no more than the limit from a file that says it is empty', async () => {
    // The files of /proc have the size 0.
    expect(await readTextFile('/proc/self/status', 100)).toEqual({ ok: false, error: 'is larger than 100 bytes' });
    expect(await readTextFile('/proc/self/status', 100_000)).toMatchObject({ value: expect.stringContaining('Pid:') });
  });

  it('says of a certificate or key in DER that it is, and how it becomes PEM', async () => {
    const make = (name: string, args: string) =>
      execFileSync('openssl', [...args.split(' '), '-out', join(folder, name)], { stdio: 'pipe' });
    make('key.pem', 'genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256');
    make('rsa.pem', 'genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048');
    const key = join(folder, 'key.pem');
    make('cert.pem', `req -x509 -new -key ${key} -subj /CN=a -days 2`);
    const cert = join(folder, 'cert.pem');
    make('cert.der', `x509 -in ${cert} -outform der`);
    make('key.der', `pkey -in ${join(folder, 'rsa.pem')} -outform der`);
    make('traditional.der', `rsa -in ${join(folder, 'rsa.pem')} -outform der -traditional`);
    make('ec.der', `ec -in ${key} -outform der`);
    make('public.der', `pkey -in ${join(folder, 'rsa.pem')} -pubout -outform der`);
    make('all.p12', `pkcs12 -export -in ${cert} -inkey ${key} -passout pass:`);
    make('chain.p7b', `crl2pkcs7 -nocrl -certfile ${cert} -outform der`);
    const said = async (name: string) => reader.read(join(folder, name));
    expect(await said('cert.der')).toMatchObject({ error: 'is DER; convert it with openssl x509 -inform der' });
    for (const name of ['key.der', 'traditional.der', 'ec.der']) {
      expect(await said(name)).toMatchObject({ error: 'is DER; convert it with openssl pkey -inform der' });
    }
    expect(await said('public.der')).toMatchObject({
      error: 'is DER; convert it with openssl pkey -pubin -inform der',
    });
    expect(await said('all.p12')).toMatchObject({ error: 'is PKCS #12; extract its contents with openssl pkcs12' });
    expect(await said('chain.p7b')).toMatchObject({ error: expect.stringContaining('PKCS #7') });
    expect(await said('cert.pem')).toMatchObject({ ok: true });
  });

  it('takes no other octets for DER', async () => {
    for (const octets of [
      [0x30],
      [0x30, 0x80, 0xff],
      [0x30, 0x82],
      [0x30, 0x03, 0x30, 0xff],
      [0xff, 0x30, 0x02, 0x01],
    ]) {
      expect(await reader.read(file('other', Buffer.from([...octets, 0xff])))).toMatchObject({
        error: 'is not UTF-8 text',
      });
    }
  });

  it('reads no file that is larger than a key or a list can be', async () => {
    const large = file('large');
    truncateSync(large, maxTextFileOctets + 1);
    expect(await reader.read(large)).toMatchObject({ error: expect.stringContaining('larger') });
  });

  it('does not wait for a pipe that nobody writes to', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect(await reader.read(join(folder, 'pipe'))).toMatchObject({ error: expect.stringContaining('regular') });
  });
});
