import { dirname, resolve } from 'node:path';
import { type Entry, getLocation, type Node } from '@bgotink/kdl';
import type { Value, Node as ValueNode } from 'kdljs';
import type { Setting, SettingProperty, SettingScalar } from '../../../domain/configuration/setting/setting.js';
import type { KdlDocument } from './kdl-document.js';
import type { Complain } from './kdl-fault.js';
import { entryOffset, type SourceText } from './source-text.js';
import type { ResolvedReferences } from './value-references.js';

/** Names with a special meaning in JavaScript objects. */
const reservedNames = new Set(['__proto__', 'constructor', 'prototype']);

const startOf = (element: Node | Node['name'] | Entry['value']): number => getLocation(element)?.start.offset ?? 0;

const scalarFault = (value: Value, representation: string | undefined): string | null => {
  if (typeof value !== 'number') return null;
  if (!Number.isFinite(value)) return `${representation ?? 'this'} is not a usable number`;
  return Math.abs(value) > Number.MAX_SAFE_INTEGER ? 'a number above 2^53 is not exact' : null;
};

/** Builds settings from the results of both parsers, which must agree on everything. */
export class SettingTree {
  readonly #source: Pick<SourceText, 'file' | 'positionAt'>;
  readonly #references: ResolvedReferences;
  readonly #complain: Complain;

  constructor(source: Pick<SourceText, 'file' | 'positionAt'>, references: ResolvedReferences, complain: Complain) {
    this.#source = source;
    this.#references = references;
    this.#complain = complain;
  }

  build(document: KdlDocument): readonly Setting[] {
    return this.#nodes(document.places.nodes, document.values, 0);
  }

  #nodes(places: readonly Node[], values: readonly ValueNode[], offset: number): readonly Setting[] {
    if (places.length !== values.length) {
      this.#disagree(places[0] === undefined ? offset : startOf(places[0]));
      return [];
    }
    return places.map((place, index) => this.#node(place, values[index] as ValueNode));
  }

  #node(place: Node, value: ValueNode): Setting {
    const name = place.getName();
    const offset = startOf(place.name);
    this.#checkName(name, offset);
    if (place.getTag() !== null) this.#complain(startOf(place), 'a name cannot have a type annotation');
    const args = place.getArgumentEntries();
    if (value.name !== name || value.values.length !== args.length) this.#disagree(offset);
    const children = place.children;
    return {
      name,
      args: args.map((entry, index) => this.#scalar(entry, value.values[index], value.tags.values[index])),
      properties: this.#properties(place, value),
      children: children === null ? this.#noNodes(value, offset) : this.#nodes(children.nodes, value.children, offset),
      position: this.#source.positionAt(offset),
      listed: false,
    };
  }

  #noNodes(value: ValueNode, offset: number): null {
    if (value.children.length > 0) this.#disagree(offset);
    return null;
  }

  #properties(place: Node, value: ValueNode): readonly SettingProperty[] {
    const properties = new Map<string, SettingProperty>();
    for (const entry of place.getPropertyEntries()) {
      const name = entry.getName() ?? '';
      const offset = entryOffset(entry);
      if (!this.#checkName(name, offset)) continue;
      if (properties.has(name)) {
        this.#complain(offset, `the property "${name}" is given twice`);
        continue;
      }
      const known = Object.hasOwn(value.properties, name);
      const last = place.getPropertyEntry(name) ?? entry;
      // The other parser keeps the last of several, which is an error anyway.
      const scalar = this.#scalar(last, known ? value.properties[name] : undefined, value.tags.properties[name]);
      properties.set(name, { name, value: scalar, position: this.#source.positionAt(offset) });
    }
    return [...properties.values()];
  }

  #scalar(entry: Entry, value: Value | undefined, tag: string | undefined): SettingScalar {
    const offset = startOf(entry.value);
    const position = this.#source.positionAt(entry.isArgument() ? entryOffset(entry) : offset);
    if (!Object.is(entry.getValue(), value) || (entry.getTag() ?? undefined) !== (tag ?? undefined))
      this.#disagree(offset);
    if (value === undefined) return { value: null, position, hidden: false };
    const fault = scalarFault(value, entry.value.representation);
    if (fault !== null) this.#complain(offset, fault);
    const resolved = this.#references.get(entry);
    if (resolved === undefined) return { value, position, hidden: false };
    if (resolved === null) return { value: null, position, hidden: true, unresolved: true };
    return { value: resolved, position, hidden: true, reference: this.#reference(tag, String(value)) };
  }

  /** Makes the path of a file reference absolute. */
  #reference(tag: string | undefined, name: string): NonNullable<SettingScalar['reference']> {
    return tag === 'file' ? { kind: 'file', name: resolve(dirname(this.#source.file), name) } : { kind: 'env', name };
  }

  #checkName(name: string, offset: number): boolean {
    if (!reservedNames.has(name)) return true;
    this.#complain(offset, `"${name}" cannot be a name`);
    return false;
  }

  #disagree(offset: number): void {
    this.#complain(offset, 'the two readers of KDL disagree about this place', 'write it in a simpler form');
  }
}
