import type { RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import { err, type Result } from '../../../../domain/shared/result.js';
import type { VerifierFailure } from '../../../ports/agent/saml-document-verifier.js';
import type { VerificationShares } from './verification-shares.js';

type Verified<Document> = Result<Document, VerifierFailure>;

/** Has a document verified within the share of the client that brought it; `overloaded` where that is used up. */
export const sharedVerification = <Document>(
  shares: VerificationShares,
  { metadata }: RequestHeadersEvent,
  verify: () => Promise<Verified<Document>>,
): Promise<Verified<Document>> => shares.run(metadata.clientIp, verify) ?? Promise.resolve(err('overloaded'));
