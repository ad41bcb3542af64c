import type { Value } from '../values/value.js';

/**
 * Attributes that are made when a policy asks for them, one by one: most policies look at few, and a request has to be cheap.
 * Whoever wants all of them gets a map, made once.
 */
export abstract class AttributeView implements ReadonlyMap<string, Value> {
  #all: ReadonlyMap<string, Value> | null = null;

  /** The value, the same each time; undefined: absent. */
  abstract get(name: string): Value | undefined;
  /** Of all that can be there. */
  protected abstract get names(): readonly string[];

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  get size(): number {
    return this.#map.size;
  }

  keys(): MapIterator<string> {
    return this.#map.keys();
  }

  values(): MapIterator<Value> {
    return this.#map.values();
  }

  entries(): MapIterator<[string, Value]> {
    return this.#map.entries();
  }

  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.#map.entries();
  }

  forEach(visit: (value: Value, name: string, map: ReadonlyMap<string, Value>) => void): void {
    this.#map.forEach(visit);
  }

  get #map(): ReadonlyMap<string, Value> {
    this.#all ??= this.#make();
    return this.#all;
  }

  #make(): ReadonlyMap<string, Value> {
    const all = new Map<string, Value>();
    for (const name of this.names) {
      const value = this.get(name);
      if (value !== undefined) all.set(name, value);
    }
    return all;
  }
}
