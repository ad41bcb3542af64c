import { XmlCryptoDocumentVerifier } from '../../../src/adapters/outbound/xml-crypto-saml/xml-crypto-document-verifier.js';
import type { KeySetFailure, MetadataSource } from '../../../src/application/ports/agent/key-set-source.js';
import type {
  MetadataQuery,
  SamlDocumentVerifier,
  VerifierFailure,
} from '../../../src/application/ports/agent/saml-document-verifier.js';
import type { SamlKeys, SigningCertificate } from '../../../src/application/ports/agent/saml-keys.js';
import type { Cancellation } from '../../../src/application/ports/shared/cancellation.js';
import { err, ok, type Result } from '../../../src/domain/shared/result.js';

/** Metadata that a test publishes; it counts who asks, and can be made to fail or to keep them waiting. */
export class FakeMetadataSource implements MetadataSource {
  readonly urls: string[] = [];
  cancelled = 0;
  isHeld = false;
  #answer: Result<string, KeySetFailure> = ok('');
  #waiting: (() => void)[] = [];

  get requests(): number {
    return this.urls.length;
  }

  publish(text: string): void {
    this.#answer = ok(text);
  }

  goDown(): void {
    this.#answer = err({ code: 'unreachable', detail: 'nobody listens' });
  }

  letGo(): void {
    this.isHeld = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const answer of waiting) answer();
  }

  async fetch(url: string, cancellation: Cancellation): Promise<Result<string, KeySetFailure>> {
    this.urls.push(url);
    let isCancelled = false;
    if (this.isHeld) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        cancellation.onCancel(() => {
          isCancelled = true;
          this.cancelled += 1;
          resolve();
        });
      });
    }
    return isCancelled ? err({ code: 'cancelled', detail: 'the fetch was cancelled' }) : this.#answer;
  }
}

/** Reads metadata as if it were signed by whatever certificate; `refusal` is what it says of it otherwise. */
export class FakeMetadataVerifier implements Pick<SamlDocumentVerifier, 'verifyMetadata'> {
  refusal: VerifierFailure | null = null;
  readonly certificates: (readonly string[])[] = [];

  readonly #reader = new XmlCryptoDocumentVerifier();

  async verifyMetadata(text: string, query: MetadataQuery): ReturnType<SamlDocumentVerifier['verifyMetadata']> {
    this.certificates.push(query.certificates);
    return this.refusal === null
      ? this.#reader.verifyMetadata(text, { ...query, certificates: [] })
      : err(this.refusal);
  }
}

/** Reads any text as a certificate but those that begin with WEAK; those that begin with OLD are over. */
export const formalCertificates: Pick<SamlKeys, 'readCertificate'> = {
  readCertificate: (der): Result<SigningCertificate, string> =>
    der.startsWith('WEAK')
      ? err('has a key of 1024 bits')
      : ok({ der, notAfterMs: der.startsWith('OLD') ? 0 : Number.MAX_SAFE_INTEGER }),
};
