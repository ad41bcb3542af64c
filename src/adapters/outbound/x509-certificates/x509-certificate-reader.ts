import { type KeyObject, X509Certificate } from 'node:crypto';
import type { CertificateReader, ReadCertificate } from '../../../application/ports/shared/certificate-reader.js';
import type { Certificate } from '../../../domain/shared/certificate.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { isBurdensome, keyWeakness } from './key-strength.js';
import { nodeAgrees } from './node-agreement.js';
import { certificateBlocks } from './pem-blocks.js';
import { readCertificate } from './read-certificate.js';
import { isStrictDer } from './strict-der.js';

/** Octets of a certificate. */
const maximumOctets = 65_536;

/** Null where Node knows no such key. */
const publicKeyOf = (node: X509Certificate): KeyObject | null => {
  try {
    return node.publicKey;
  } catch {
    return null;
  }
};

/** A certificate, and the key that it is about. */
class NodeReadCertificate implements ReadCertificate {
  readonly certificate: Certificate;
  readonly #node: X509Certificate;
  readonly #key: KeyObject | null;

  constructor(read: Omit<Certificate, 'weakKey'>, node: X509Certificate) {
    this.#node = node;
    this.#key = publicKeyOf(node);
    const weakKey = this.#key === null ? 'has a key of a type that is not known' : keyWeakness(this.#key);
    this.certificate = { ...read, weakKey };
  }

  isSignedBy(issuer: ReadCertificate): boolean {
    const key = issuer instanceof NodeReadCertificate ? issuer.#key : null;
    if (key === null || isBurdensome(key)) return false;
    try {
      return this.#node.verify(key);
    } catch {
      return false;
    }
  }
}

/** Fields by @peculiar/asn1-x509, keys and signatures by Node; what the two do not read alike is refused. */
export class X509CertificateReader implements CertificateReader {
  read(der: Uint8Array): Result<ReadCertificate, string> {
    if (der.length > maximumOctets) return err(`is larger than ${maximumOctets} octets`);
    if (!isStrictDer(der)) return err('is not exactly one value in DER');
    try {
      const node = new X509Certificate(der);
      const read = new NodeReadCertificate(readCertificate(der), node);
      return nodeAgrees(node, der, read.certificate)
        ? ok(read)
        : err('is a certificate that two readers read differently');
    } catch {
      // What the libraries say of it could have text of the certificate in it.
      return err('is no certificate that can be read');
    }
  }

  readPem(text: string): Result<readonly ReadCertificate[], string> {
    const blocks = certificateBlocks(text);
    if (!blocks.ok) return blocks;
    const certificates: ReadCertificate[] = [];
    for (const [index, der] of blocks.value.entries()) {
      const read = this.read(der);
      if (!read.ok) return err(`holds a certificate that cannot be used: number ${index + 1} ${read.error}`);
      certificates.push(read.value);
    }
    return ok(certificates);
  }
}
