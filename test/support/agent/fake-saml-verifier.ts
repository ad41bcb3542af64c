import type {
  DocumentKeys,
  ReceivedMessage,
  SamlDocumentVerifier,
  VerifierFailure,
} from '../../../src/application/ports/agent/saml-document-verifier.js';
import type { Cancellation } from '../../../src/application/ports/shared/cancellation.js';
import type {
  LogoutRequest,
  LogoutResponse,
  VerifiedAssertion,
  VerifiedResponse,
} from '../../../src/domain/agent/saml/assertion.js';
import { err, type Result } from '../../../src/domain/shared/result.js';

type Verified<Document> = Result<Document, VerifierFailure>;

/** Gives what a test says is in a document, and keeps what it was asked. */
export class FakeDocumentVerifier
  implements
    Pick<SamlDocumentVerifier, 'verifyResponse' | 'verifyAssertion' | 'verifyLogoutRequest' | 'verifyLogoutResponse'>
{
  readonly documents: string[] = [];
  readonly messages: ReceivedMessage[] = [];
  readonly keys: DocumentKeys[] = [];
  readonly cancellations: Cancellation[] = [];
  response: Verified<VerifiedResponse> = err('unsigned');
  assertion: Verified<VerifiedAssertion> = err('unsigned');
  logoutRequest: Verified<LogoutRequest> = err('unsigned');
  logoutResponse: Verified<LogoutResponse> = err('unsigned');

  verifyResponse(encoded: string, keys: DocumentKeys, cancellation: Cancellation): Promise<Verified<VerifiedResponse>> {
    this.documents.push(encoded);
    this.keys.push(keys);
    this.cancellations.push(cancellation);
    return Promise.resolve(this.response);
  }

  verifyAssertion(
    encoded: string,
    keys: DocumentKeys,
    cancellation: Cancellation,
  ): Promise<Verified<VerifiedAssertion>> {
    this.documents.push(encoded);
    this.keys.push(keys);
    this.cancellations.push(cancellation);
    return Promise.resolve(this.assertion);
  }

  verifyLogoutRequest(
    message: ReceivedMessage,
    keys: DocumentKeys,
    cancellation: Cancellation,
  ): Promise<Verified<LogoutRequest>> {
    this.messages.push(message);
    this.keys.push(keys);
    this.cancellations.push(cancellation);
    return Promise.resolve(this.logoutRequest);
  }

  verifyLogoutResponse(
    message: ReceivedMessage,
    keys: DocumentKeys,
    cancellation: Cancellation,
  ): Promise<Verified<LogoutResponse>> {
    this.messages.push(message);
    this.keys.push(keys);
    this.cancellations.push(cancellation);
    return Promise.resolve(this.logoutResponse);
  }
}
