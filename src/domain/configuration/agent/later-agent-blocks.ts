import { notYetBlock } from '../schema/block-keys.js';

/** Blocks of the agent whose behaviour does not exist yet. */
export const laterAgentBlocks = {
  'token-exchange': notYetBlock('Exchange of one token for another.', [
    'enabled',
    'endpoint-path',
    'issuer',
    'signing-key-file',
    'signing-algorithm',
    'token-ttl-secs',
    'allowed-exchanges',
    'clients',
    'default-audience',
    'jwks-path',
  ]),
};
