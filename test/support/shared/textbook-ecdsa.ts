import { createHash, type KeyObject } from 'node:crypto';

/** P-256 (SEC 2, section 2.4.2). */
const p = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const a = p - 3n;
export const p256Order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const generator = {
  x: 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
  y: 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
};

/** Null: the point at infinity. */
type Point = { readonly x: bigint; readonly y: bigint } | null;

const modulo = (value: bigint, modulus: bigint): bigint => ((value % modulus) + modulus) % modulus;

const power = (base: bigint, exponent: bigint, modulus: bigint): bigint => {
  let result = 1n;
  let square = modulo(base, modulus);
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
};

/** By Fermat, as many do it: the inverse of 0 is 0, and nobody complains. */
const inverse = (value: bigint, modulus: bigint): bigint => power(value, modulus - 2n, modulus);

const add = (first: Point, second: Point): Point => {
  if (first === null) return second;
  if (second === null) return first;
  const isSameX = first.x === second.x;
  if (isSameX && first.y !== second.y) return null;
  const slope = isSameX
    ? (3n * first.x * first.x + a) * inverse(2n * first.y, p)
    : (second.y - first.y) * inverse(second.x - first.x, p);
  const x = modulo(slope * slope - first.x - second.x, p);
  return { x, y: modulo(slope * (first.x - x) - first.y, p) };
};

const multiply = (point: Point, factor: bigint): Point => {
  let result: Point = null;
  let doubled = point;
  for (let rest = factor; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = add(result, doubled);
    doubled = add(doubled, doubled);
  }
  return result;
};

export const numberOf = (octets: Buffer): bigint => BigInt(`0x${octets.toString('hex') || '0'}`);

/**
 * Verifies a P-256 signature by the equation of the textbook and nothing else: r and s may be of any size and in any
 * range. This is how verifiers came to accept a signature of zeros.
 */
export const textbookVerify = (key: KeyObject, input: string, signature: Buffer): boolean => {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const half = signature.length / 2;
  const r = numberOf(signature.subarray(0, half));
  const s = numberOf(signature.subarray(half));
  const digest = numberOf(createHash('sha256').update(input).digest());
  const w = inverse(s, p256Order);
  const publicPoint = { x: numberOf(Buffer.from(x, 'base64url')), y: numberOf(Buffer.from(y, 'base64url')) };
  const found = add(
    multiply(generator, modulo(digest * w, p256Order)),
    multiply(publicPoint, modulo(r * w, p256Order)),
  );
  return modulo(found?.x ?? 0n, p256Order) === modulo(r, p256Order);
};
