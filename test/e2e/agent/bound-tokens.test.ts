import { createHash } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { MutualTls } from '../../support/gateway/mutual-tls.js';
import { valuesOf } from '../../support/gateway/recording-upstream.js';
import { urlEncodedPem } from '../../support/shared/certificate-headers.js';
import { curl } from '../../support/shared/curl.js';
import { call } from '../../support/shared/http-call.js';
import type { OpensslCertificate } from '../../support/shared/openssl-certificates.js';
import { describeWithPeers } from '../../support/shared/peers.js';

const secret = 'a-secret-of-more-than-thirty-two-octets';

const tokenOf = (cnf: unknown): Promise<string> =>
  new SignJWT({ sub: 'carol', cnf })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('5m')
    .sign(Buffer.from(secret));

const boundTo = ({ der }: OpensslCertificate): Promise<string> =>
  tokenOf({ 'x5t#S256': createHash('sha256').update(der).digest('base64url') });

for (const transport of ['embedded', 'socket'] as const) {
  describeWithPeers(['openssl', 'curl'], `tokens bound to client certificates, the agent ${transport}`, () => {
    const world = new MutualTls();
    beforeAll(() =>
      world.start(() => ({
        transport,
        agentConfig: `jwt-secret "${secret}"`,
        blocks: 'limits { max-header-value-bytes 16384; max-header-size-bytes 65536 }',
      })),
    );
    beforeEach(() => void world.stack.upstream.received.splice(0));
    afterAll(() => world.cleanUp.run());

    const asCurl = async (client: OpensslCertificate | null, token: string, ...headers: readonly string[]) => {
      const { status } = await curl(
        ...['--cacert', world.cast.root.certificateFile, '--header', `Authorization: Bearer ${token}`],
        ...headers.flatMap((header) => ['--header', header]),
        ...(client ? ['--cert', client.certificateFile, '--key', client.keyFile] : []),
        `https://127.0.0.1:${world.stack.portOf('request')}/orders`,
      );
      return status;
    };

    it('are accepted with the certificate of the TLS handshake', async () => {
      expect(await asCurl(world.cast.bob, await boundTo(world.cast.bob))).toBe(200);
      expect(valuesOf(world.received(), 'x-user-id')).toEqual(['carol']);
      expect(valuesOf(world.received(), 'x-client-cert')).toEqual([]);
    });

    it('are refused with another certificate or none', async () => {
      const token = await boundTo(world.cast.bob);
      expect(await asCurl(world.cast.bob, token)).toBe(200);
      world.stack.upstream.received.splice(0);
      expect(await asCurl(world.cast.paula, token)).toBe(401);
      expect(await asCurl(null, token)).toBe(401);
      expect(world.stack.upstream.received).toEqual([]);
    });

    it('are refused with a certificate that only a client header contains', async () => {
      const { bob } = world.cast;
      const token = await boundTo(bob);
      const forged = urlEncodedPem([bob.der]);
      for (const name of ['X-Client-Cert', 'x_client_cert', 'Client-Cert']) {
        expect(await asCurl(null, token, `${name}: ${forged}`)).toBe(401);
        expect(await asCurl(world.cast.paula, token, `${name}: ${forged}`)).toBe(401);
        const headers = { Authorization: `Bearer ${token}`, [name]: forged };
        expect((await call(world.stack.port, { headers })).status).toBe(401);
      }
      expect(world.stack.upstream.received).toEqual([]);
    });

    it('are accepted with a certificate that a trusted proxy forwards', async () => {
      const { bob } = world.cast;
      const headers = { Authorization: `Bearer ${await boundTo(bob)}`, 'X-Client-Cert': urlEncodedPem([bob.der]) };
      const answer = await call(world.stack.portOf('behind'), { tls: world.showing([]), headers });
      expect(answer.status).toBe(200);
    });

    it('are refused with a confirmation method that the agent does not support', async () => {
      for (const cnf of [{ jkt: 'x' }, {}, 'x', null, { 'x5t#S256': 'x' }]) {
        expect(await asCurl(world.cast.bob, await tokenOf(cnf))).toBe(401);
      }
    });
  });
}
