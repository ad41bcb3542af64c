import { serveVerification } from '../../adapters/outbound/xml-crypto-saml/serve-verification.js';

// The program of the threads that verify SAML documents.
serveVerification();
