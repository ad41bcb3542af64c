import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { temporaryFolder } from './temporary-folder.js';

/** A certificate that the `openssl` program has made, with its key. Everything in text is PEM. */
export interface OpensslCertificate {
  readonly certificate: string;
  readonly key: string;
  readonly der: Buffer;
  /** Paths of the PEM files. */
  readonly certificateFile: string;
  readonly keyFile: string;
  /** It signs itself. */
  readonly isRoot: boolean;
  /** The authorities above it, the nearest first, without the root. */
  readonly intermediates: readonly OpensslCertificate[];
}

/**
 * Kinds of keys, weak ones included: `secp224r1` and `secp256k1` are curves, `rsa-1024` is too short, and
 * `P-256-explicit` describes its curve instead of naming it.
 */
export type KeyKind =
  | 'P-256'
  | 'P-256-explicit'
  | 'P-384'
  | 'P-521'
  | 'secp224r1'
  | 'secp256k1'
  | 'rsa-1024'
  | 'rsa-2048'
  | 'ed25519'
  | 'ed448';

export interface CertificatePlan {
  /**
   * As `openssl req -subj` takes it, in UTF-8: `/O=Example/OU=a+CN=b`. Default: the name as CN. `/` is the empty
   * name.
   */
  readonly subject?: string;
  /** Who signs it; null or absent: it signs itself. */
  readonly by?: OpensslCertificate | null;
  /** Default: P-256. */
  readonly key?: KeyKind;
  /** Another certificate whose key it shall have, for a renewed or a cross-signed one; instead of `key`. */
  readonly keyOf?: OpensslCertificate;
  /**
   * First and last moment of validity, in milliseconds since the Unix epoch; whole seconds. Default: yesterday, next
   * year.
   */
  readonly validity?: readonly [notBeforeMs: number, notAfterMs: number];
  /** Digest of the signature on it. Default: sha256. */
  readonly digest?: 'md5' | 'sha1' | 'sha256' | 'sha384';
  /** Signed with RSASSA-PSS rather than PKCS #1; needs `by` with an RSA key. */
  readonly pss?: boolean;
  /**
   * Alternative names as openssl writes them: `DNS:api.example`, `IP:10.0.0.1`, `URI:spiffe://a/b`,
   * `email:a@b.example`, `otherName:1.2.3.4;UTF8:x`, `dirName:section`, `RID:1.2.3.4`. Default: none.
   */
  readonly names?: readonly string[];
  /** Extensions in place of those of the preset, as lines of an openssl section; each key may occur once. */
  readonly extensions?: Readonly<Record<string, string | null>>;
  /** Types of the strings of the subject, as `string_mask` takes it: `MASK:0x800` is BMPString. Default: utf8only. */
  readonly stringMask?: string;
}

/** A certificate revocation list to make. */
export interface RevocationListPlan {
  readonly revoked?: readonly OpensslCertificate[];
  /** thisUpdate and nextUpdate, in milliseconds since the Unix epoch. Default: yesterday, tomorrow. */
  readonly validity?: readonly [thisUpdateMs: number, nextUpdateMs: number];
  /** Extensions of the list, as lines of an openssl section. */
  readonly extensions?: Readonly<Record<string, string>>;
  /** Further sections, which the extensions name. */
  readonly sections?: string;
  /** Default: sha256. */
  readonly digest?: 'sha1' | 'sha256';
  readonly pss?: boolean;
}

type Preset = Readonly<Record<string, string>>;

const presets = {
  authority: { basicConstraints: 'critical,CA:TRUE', keyUsage: 'critical,keyCertSign,cRLSign' },
  client: { basicConstraints: 'CA:FALSE', keyUsage: 'critical,digitalSignature', extendedKeyUsage: 'clientAuth' },
  server: { basicConstraints: 'CA:FALSE', keyUsage: 'critical,digitalSignature', extendedKeyUsage: 'serverAuth' },
} as const satisfies Record<string, Preset>;

const dayMs = 86_400_000;

const privateKey = (kind: KeyKind): KeyObject => {
  switch (kind) {
    case 'rsa-1024':
    case 'rsa-2048':
      return generateKeyPairSync('rsa', { modulusLength: Number(kind.slice(4)) }).privateKey;
    case 'ed25519':
      return generateKeyPairSync('ed25519').privateKey;
    case 'ed448':
      return generateKeyPairSync('ed448').privateKey;
    case 'P-256-explicit':
      return generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' }).privateKey;
    default:
      return generateKeyPairSync('ec', { namedCurve: kind }).privateKey;
  }
};

/** As `openssl ca` reads it. */
const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`;

const extensionSection = (preset: Preset, { names = [], extensions = {} }: CertificatePlan): string => {
  const subjectAltName = names.length === 0 ? {} : { subjectAltName: '@names' };
  // The issuer's key is found by its subject key identifier: the last, because the other is made of it.
  const identifiers = { subjectKeyIdentifier: 'hash', authorityKeyIdentifier: 'keyid' };
  const lines = Object.entries({ ...preset, ...subjectAltName, ...identifiers, ...extensions }).map(([key, value]) =>
    value === null ? '' : `${key} = ${value}`,
  );
  const counts = names.map(
    (name, index) => `${name.slice(0, name.indexOf(':'))}.${index} = ${name.slice(name.indexOf(':') + 1)}`,
  );
  return ['[extensions]', ...lines, '[names]', ...counts, ''].join('\n');
};

/**
 * Makes certificates with the `openssl` program, in a temporary folder of its own; two short runs of it for each.
 * Make one in `beforeAll`, and `remove` it in `afterAll`:
 *
 *     const pki = new OpensslCertificates();
 *     const root = pki.authority('root');
 *     const issuing = pki.authority('issuing', { by: root, extensions: { basicConstraints:
 * 'critical,CA:TRUE,pathlen:0' } });
 *     const client = pki.client('alice', { by: issuing, names: ['email:alice@example.com'] });
 *     const server = pki.server('a.example', { by: root, names: ['DNS:a.example', 'IP:127.0.0.1'] });
 *     createServer({ cert: pemChain(server), key: server.key, ca: root.certificate });
 *
 * An extension that is null is left out: `extensions: { extendedKeyUsage: null }`. One that nobody knows, critical:
 * `extensions: { '1.2.3.4.5': 'critical,DER:05:00' }`.
 */
export class OpensslCertificates {
  readonly #folder = temporaryFolder();
  #made = 0;

  /** An authority; a root where `by` is absent. */
  authority(name: string, plan: CertificatePlan = {}): OpensslCertificate {
    return this.#make(name, presets.authority, plan);
  }

  /** A certificate for the authentication of a client. */
  client(name: string, plan: CertificatePlan = {}): OpensslCertificate {
    return this.#make(name, presets.client, plan);
  }

  /** A certificate for a TLS server; its host names belong into `names`. */
  server(name: string, plan: CertificatePlan = {}): OpensslCertificate {
    return this.#make(name, presets.server, plan);
  }

  /** A file with these certificates in PEM, a list of authorities say; its path. */
  bundle(name: string, certificates: readonly OpensslCertificate[]): string {
    return this.#folder.write(name, certificates.map(({ certificate }) => certificate).join(''));
  }

  /** Writes a file beside the certificates; its path. */
  file(name: string, text: string): string {
    return this.#folder.write(name, text);
  }

  /** The PEM of a list that an authority signs. */
  revocationList(by: OpensslCertificate, plan: RevocationListPlan = {}): string {
    this.#made += 1;
    const folder = this.#folder;
    const [from, to] = plan.validity ?? [Date.now() - dayMs, Date.now() + dayMs];
    const revoked = plan.revoked ?? [];
    // A line of the database: state, expiry, revocation, serial number, file, subject.
    const lines = revoked.map(({ der }) => {
      const { serialNumber } = new X509Certificate(der);
      return ['R', '491231000000Z', '250101000000Z', serialNumber, 'unknown', '/CN=x'].join('\t');
    });
    const database = folder.write(`${this.#made}.txt`, lines.map((line) => `${line}\n`).join(''));
    const extensions = Object.entries(plan.extensions ?? { authorityKeyIdentifier: 'keyid' });
    const configuration = folder.write(
      `${this.#made}.cnf`,
      [
        '[ca]',
        'default_ca = made',
        '[made]',
        `database = ${database}`,
        'unique_subject = no',
        '[extensions]',
        ...extensions.map(([key, value]) => `${key} = ${value}`),
        plan.sections ?? '',
        '',
      ].join('\n'),
    );
    const out = folder.file(`${this.#made}.crl`);
    const padding = plan.pss === true ? ['-sigopt', 'rsa_padding_mode:pss'] : [];
    const times = ['-crl_lastupdate', timeText(from), '-crl_nextupdate', timeText(to)];
    const signer = ['-cert', by.certificateFile, '-keyfile', by.keyFile, '-md', plan.digest ?? 'sha256', ...padding];
    this.openssl('ca', '-config', configuration, '-gencrl', '-crlexts', 'extensions', ...signer, ...times, '-out', out);
    return readFileSync(out, 'utf8');
  }

  /** What the program writes. Throws, with its complaint, where it fails. */
  openssl(...parameters: readonly string[]): string {
    return execFileSync('openssl', parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }

  remove(): void {
    this.#folder.remove();
  }

  #make(name: string, preset: Preset, plan: CertificatePlan): OpensslCertificate {
    this.#made += 1;
    const folder = this.#folder;
    const file = (kind: string): string => folder.file(`${this.#made}.${kind}`);
    const key =
      plan.keyOf?.key ??
      privateKey(plan.key ?? 'P-256')
        .export({ type: 'pkcs8', format: 'pem' })
        .toString();
    const keyFile = folder.write(`${this.#made}.key`, key);
    const configuration = folder.write(`${this.#made}.cnf`, this.#configuration(plan) + extensionSection(preset, plan));
    const [from, to] = plan.validity ?? [Date.now() - dayMs, Date.now() + 365 * dayMs];
    const [request, certificateFile] = [file('csr'), file('crt')];
    const subject = ['-utf8', '-subj', plan.subject ?? `/CN=${name}`];
    this.openssl('req', '-new', '-config', configuration, '-key', keyFile, ...subject, '-out', request);
    const by = plan.by ?? null;
    const signer =
      by === null ? ['-selfsign', '-keyfile', keyFile] : ['-cert', by.certificateFile, '-keyfile', by.keyFile];
    const padding = plan.pss === true ? ['-sigopt', 'rsa_padding_mode:pss'] : [];
    const digest = ['-md', plan.digest ?? 'sha256', ...padding];
    const times = ['-startdate', timeText(from), '-enddate', timeText(to)];
    const manner = ['-batch', '-notext', '-preserveDN', '-utf8', '-extensions', 'extensions'];
    const paths = ['-in', request, '-out', certificateFile];
    this.openssl('ca', '-config', configuration, ...manner, ...digest, ...times, ...signer, ...paths);
    const certificate = readFileSync(certificateFile, 'utf8');
    const { raw: der } = new X509Certificate(certificate);
    const above = by === null || by.isRoot ? [] : [by, ...by.intermediates];
    return { certificate, key, der, certificateFile, keyFile, isRoot: by === null, intermediates: above };
  }

  #configuration(plan: CertificatePlan): string {
    const database = this.#folder.write('index.txt', '');
    return [
      '[ca]',
      'default_ca = made',
      '[made]',
      `database = ${database}`,
      `new_certs_dir = ${this.#folder.path}`,
      'policy = any',
      'unique_subject = no',
      'rand_serial = yes',
      '[any]',
      'commonName = optional',
      '[req]',
      'distinguished_name = any',
      `string_mask = ${plan.stringMask ?? 'utf8only'}`,
      '',
    ].join('\n');
  }
}

/** PEM of a certificate and of the intermediates above it, as a TLS server or client takes it. */
export const pemChain = (leaf: OpensslCertificate): string =>
  [leaf, ...leaf.intermediates].map(({ certificate }) => certificate).join('');
