import type { Secret } from '../../../domain/shared/secret.js';

/**
 * Whether what a client sent is a secret, in a time that tells nothing about where, or in what length, they differ.
 * `given` is a byte string, as header values are: each character is one octet of the secret's UTF-8.
 */
export type SecretComparer = (given: string, secret: Secret) => boolean;
