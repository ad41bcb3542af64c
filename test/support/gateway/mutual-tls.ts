import type { ConnectionOptions } from 'node:tls';
import { expect } from 'vitest';
import { type CertificateCast, certificateCast } from '../shared/certificate-cast.js';
import { urlEncodedPem } from '../shared/certificate-headers.js';
import { CleanUp } from '../shared/clean-up.js';
import { type GatewayStack, type StackPlan, startStack, untilTrue } from '../shared/gateway-stack.js';
import { call, type HttpAnswer } from '../shared/http-call.js';
import type { OpensslCertificate } from '../shared/openssl-certificates.js';
import type { RunningProcess } from '../shared/processes.js';
import { type TemporaryFolder, temporaryFolder } from '../shared/temporary-folder.js';
import type { ReceivedRequest } from './recording-upstream.js';
import { type TlsCall, tlsCall } from './tls-call.js';

/** A certificate, and those above it that are shown with it. */
export type Shown = readonly OpensslCertificate[];

/** In PEM. */
export const bundleOf = (certificates: Shown): string => certificates.map(({ certificate }) => certificate).join('');
export const withChain = (client: OpensslCertificate): Shown => [client, ...client.intermediates];

const started = <Part>(part: Part | null): Part => {
  if (part === null) throw new Error('nothing was started');
  return part;
};

/**
 * A gateway with the TLS listeners `require`, `request` and `behind` (which asks for no certificate: 127.0.0.1 may
 * bring one), named by what they do with certificates of clients. Its agent trusts the authorities that the listeners
 * do.
 */
export class MutualTls {
  readonly cleanUp = new CleanUp();
  #folder: TemporaryFolder | null = null;
  #cast: CertificateCast | null = null;
  #stack: GatewayStack | null = null;

  get folder(): TemporaryFolder {
    return started(this.#folder);
  }

  get cast(): CertificateCast {
    return started(this.#cast);
  }

  get stack(): GatewayStack {
    return started(this.#stack);
  }

  /** `planOf` is asked once there are certificates and files. */
  async start(planOf: () => StackPlan): Promise<void> {
    const folder = temporaryFolder();
    this.cleanUp.add(() => folder.remove());
    const cast = certificateCast();
    this.cleanUp.add(() => cast.pki.remove());
    this.#folder = folder;
    this.#cast = cast;
    const { root, partners } = cast;
    const { listeners, ...plan } = planOf();
    this.folder.write('listener.pem', bundleOf([root, partners]));
    this.folder.write('agent.pem', bundleOf([root, partners]));
    this.#stack = await startStack(this.cleanUp, {
      listeners: {
        require: this.#listener('require'),
        request: this.#listener('request'),
        behind: `${this.#listener('none')}; trusted-proxies "127.0.0.1"; accept-client-cert-header "X-Client-Cert"`,
        ...listeners,
      },
      ...plan,
    });
  }

  /** A block of the agent; the header is the default one. */
  mtls(members = ''): string {
    return `mtls { enabled #true; ca-cert-path "${this.folder.file('agent.pem')}"; ${members} }`;
  }

  #listener(clientAuth: 'none' | 'request' | 'require'): string {
    const { certificateFile, keyFile } = this.cast.server;
    const clients = `ca-cert-file "${this.folder.file('listener.pem')}"; forward-client-cert-header "X-Client-Cert"`;
    return `protocol "https"; tls {
      cert-file "${certificateFile}"; key-file "${keyFile}"
      client-auth "${clientAuth}"; ${clientAuth === 'none' ? '' : clients}
    }`;
  }

  /** What a client does that shows certificates; none: it has none. */
  showing([client, ...others]: Shown): ConnectionOptions {
    const own = client && { cert: bundleOf([client, ...others]), key: client.key };
    return { ca: this.cast.root.certificate, servername: 'a.example', ...own };
  }

  connect(listener: string, shown: Shown): Promise<TlsCall> {
    return tlsCall({ host: '127.0.0.1', port: this.stack.portOf(listener) }, this.showing(shown));
  }

  /** What a trusted proxy brings that has looked at nothing. */
  bring(shown: Shown, path = '/'): Promise<HttpAnswer> {
    return call(this.stack.portOf('behind'), {
      path,
      tls: this.showing([]),
      headers: { 'X-Client-Cert': urlEncodedPem(shown.map(({ der }) => der)) },
    });
  }

  /** The only request that reached the upstream. */
  received(): ReceivedRequest {
    const [received, ...more] = this.stack.upstream.received;
    if (received === undefined || more.length > 0) throw new Error('not one request reached the upstream');
    return received;
  }

  /** The agent has written why; neither the answer nor the log holds a certificate, and the client learns no reason. */
  async expectRefusal(answer: HttpAnswer, reason: string, agent: RunningProcess): Promise<void> {
    expect(answer.status).toBe(401);
    const id = String(answer.headers['x-correlation-id']);
    expect(JSON.parse(answer.body)).toEqual({
      type: 'about:blank',
      title: 'Unauthorized',
      status: 401,
      detail: 'The request has no valid credential.',
      code: 'unauthenticated',
      correlation_id: id,
    });
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="gateway"');
    const lineOf = (): string | undefined =>
      agent
        .output()
        .split('\n')
        .find((line) => line.includes(id) && line.includes('authentication failed'));
    await untilTrue('the agent has said why', () => lineOf() !== undefined);
    expect(JSON.parse(lineOf() ?? '{}')).toMatchObject({ level: 'info', method: 'mtls', reason });
    expect(agent.output()).not.toContain('BEGIN');
    expect(this.stack.upstream.received).toEqual([]);
  }
}
