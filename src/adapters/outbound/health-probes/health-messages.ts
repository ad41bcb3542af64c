/** `ServingStatus` of grpc.health.v1. */
export const servingStatuses = { unknown: 0, serving: 1, notServing: 2, serviceUnknown: 3 } as const;

const varint = 0;
const eightOctets = 1;
const lengthDelimited = 2;
const fourOctets = 5;
const firstField = 1;

/** `HealthCheckRequest`: the name of the service is its only field, and left out where it is empty. */
export const writeHealthRequest = (service: string): Buffer => {
  const name = Buffer.from(service);
  if (name.length === 0) return name;
  const head = [firstField * 8 + lengthDelimited];
  let length = name.length;
  for (; length >= 0x80; length = Math.floor(length / 0x80)) head.push((length % 0x80) | 0x80);
  return Buffer.concat([Buffer.from([...head, length]), name]);
};

/** Reads numbers of 7 bits an octet (Protocol Buffers, encoding). */
class Octets {
  readonly #octets: Uint8Array;
  position = 0;

  constructor(octets: Uint8Array) {
    this.#octets = octets;
  }

  get isAtEnd(): boolean {
    return this.position === this.#octets.length;
  }

  /** Null: it is cut off, or longer than a number is. Inexact beyond 2^53. */
  number(): number | null {
    let value = 0;
    for (let index = 0; index < 10; index += 1) {
      const octet = this.#octets[this.position];
      if (octet === undefined) return null;
      this.position += 1;
      value += (octet & 0x7f) * 2 ** (7 * index);
      if (octet < 0x80) return value;
    }
    return null;
  }

  /** False: there are not so many. */
  skip(count: number | null): boolean {
    if (count === null || count > this.#octets.length - this.position) return false;
    this.position += count;
    return true;
  }
}

/**
 * The status in a `HealthCheckResponse`. A field that is there more than once counts by its last, and fields that are not
 * known are passed over. Null: the octets are no such message.
 */
export const readServingStatus = (message: Uint8Array): number | null => {
  const octets = new Octets(message);
  let status: number = servingStatuses.unknown;
  while (!octets.isAtEnd) {
    const tag = octets.number();
    if (tag === null || tag < 8) return null;
    const wireType = tag % 8;
    if (wireType === varint) {
      const value = octets.number();
      if (value === null) return null;
      if (tag === firstField * 8 + varint) status = value;
      continue;
    }
    if (Math.floor(tag / 8) === firstField) return null;
    const isSkipped =
      (wireType === eightOctets && octets.skip(8)) ||
      (wireType === fourOctets && octets.skip(4)) ||
      (wireType === lengthDelimited && octets.skip(octets.number()));
    if (!isSkipped) return null;
  }
  return status;
};
