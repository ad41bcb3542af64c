import { randomBytes, randomFillSync } from 'node:crypto';
import type { SecureContext } from 'node:tls';
import { type TicketKeys, ticketKeyOctets } from '../../../../application/ports/gateway/ticket-keys.js';

/** Octets of each part of a ticket key, and of an initialization vector. */
const partOctets = 16;

interface TicketKey {
  readonly name: Buffer;
  readonly hmac: Buffer;
  readonly aes: Buffer;
  /** All parts together, as `setTicketKeys` takes them. */
  readonly whole: Buffer;
}

const ticketKey = (whole: Buffer): TicketKey => {
  if (whole.length !== ticketKeyOctets) throw new RangeError(`a ticket key has ${ticketKeyOctets} octets`);
  const part = (index: number): Buffer => whole.subarray(index * partOctets, (index + 1) * partOctets);
  return { name: part(0), hmac: part(1), aes: part(2), whole };
};

/** The callback's first result (SSL_CTX_set_tlsext_ticket_key_cb(3)). */
const unknownKey = 0;
const knownKey = 1;
/** The session resumes, and the client gets a new ticket. */
const replacedKey = 2;

/** Internal context of Node. Its callback is the only way to accept more than one key. */
interface NativeContext {
  /** Absent if Node removes it: then only the current key opens tickets. */
  enableTicketKeyCallback?(): void;
  onticketkeycallback?: (name: Buffer, iv: Buffer, isSealing: boolean) => readonly unknown[];
  setTicketKeys(keys: Buffer): void;
}

/** Octets of initialization vectors that are drawn at a time. */
const drawnOctets = 4_096;

/**
 * Seals and opens the TLS session tickets of all contexts of an engine with one set of keys. Its first key is random,
 * until `use` replaces it.
 */
export class SessionTickets {
  #current = ticketKey(randomBytes(ticketKeyOctets));
  #previous: TicketKey | null = null;
  readonly #vectors = Buffer.alloc(drawnOctets);
  #vectorAt = drawnOctets;
  /** Contexts that know one key only. */
  readonly #simple = new Set<WeakRef<NativeContext>>();

  use({ current, previous }: TicketKeys): void {
    this.#current = ticketKey(Buffer.from(current.reveal(), 'hex'));
    this.#previous = previous === null ? null : ticketKey(Buffer.from(previous.reveal(), 'hex'));
    for (const reference of this.#simple) {
      const context = reference.deref();
      if (context === undefined) this.#simple.delete(reference);
      else context.setTicketKeys(this.#current.whole);
    }
  }

  /** Makes a context use the keys, the later ones too. */
  applyTo({ context }: Pick<SecureContext, 'context'>): void {
    const native = context as NativeContext;
    if (typeof native.enableTicketKeyCallback === 'function') {
      native.enableTicketKeyCallback();
      native.onticketkeycallback = (name, _iv, isSealing) => (isSealing ? this.#seal() : this.#open(name));
    } else {
      native.setTicketKeys(this.#current.whole);
      this.#simple.add(new WeakRef(native));
    }
  }

  #seal(): readonly unknown[] {
    const { name, hmac, aes } = this.#current;
    return [knownKey, hmac, aes, name, this.#vector()];
  }

  #open(name: Buffer): readonly unknown[] {
    const { hmac, aes } = this.#current;
    if (this.#current.name.equals(name)) return [knownKey, hmac, aes];
    const previous = this.#previous;
    if (previous?.name.equals(name)) return [replacedKey, previous.hmac, previous.aes];
    // Node asks for keys here too. OpenSSL uses none, and makes a full handshake.
    return [unknownKey, hmac, aes];
  }

  /** A fresh initialization vector, valid during the call. */
  #vector(): Buffer {
    if (this.#vectorAt >= drawnOctets) {
      randomFillSync(this.#vectors);
      this.#vectorAt = 0;
    }
    this.#vectorAt += partOctets;
    return this.#vectors.subarray(this.#vectorAt - partOctets, this.#vectorAt);
  }
}
