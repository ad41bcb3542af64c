import type { Secret } from '../../../domain/shared/secret.js';

/** Octets of a ticket key: 16 of its name, 16 for HMAC-SHA-256, 16 for AES-128-CBC (RFC 5077, section 4). */
export const ticketKeyOctets = 48;

/**
 * Keys that seal TLS session tickets, each in lower-case hexadecimal: 96 characters. Never log or store them: with
 * one, the traffic of TLS 1.2 sessions that it sealed can be read.
 */
export interface TicketKeys {
  /** Seals new tickets. */
  readonly current: Secret;
  /** Opens tickets that were sealed before the last rotation; null before the first. */
  readonly previous: Secret | null;
}
