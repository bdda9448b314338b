/**
 * Uses of each declaration of a program by others, by the compiler's own symbols. A declaration is a function, variable or
 * class of a module; in the domain also each member of a class, and each function of an object whose type the domain
 * declares, such as those of `OwnedRecords`. Types, imports and exports are no uses.
 */
import {
  isBindingElement,
  isClassDeclaration,
  isExportDeclaration,
  isExpressionWithTypeArguments,
  isFunctionDeclaration,
  isFunctionLikeDeclaration,
  isIdentifier,
  isImportDeclaration,
  isInterfaceDeclaration,
  isMethodDeclaration,
  isObjectLiteralExpression,
  isPrivateIdentifier,
  isPropertyAssignment,
  isPropertyDeclaration,
  isShorthandPropertyAssignment,
  isSourceFile,
  isTypeAliasDeclaration,
  isTypeNode,
  isVariableDeclaration,
  type Expression,
  type Node,
} from 'typescript/unstable/ast';
import { API, SignatureKind, SymbolFlags } from 'typescript/unstable/sync';
import type { Checker, Symbol, Type } from 'typescript/unstable/sync';

/** Identifies a declaration by its file and its place there. */
type Key = string;

/** The owner of the statements at the top level of modules. */
const TOP_LEVEL: Key = '';

interface Parts {
  /** Path of a tsconfig.json. */
  readonly config: string;
  /** Whether a file is read. */
  readonly isPart: (file: string) => boolean;
  readonly isDomain: (file: string) => boolean;
}

export class Uses {
  readonly #checker: Checker;
  /** `path name` of the functions of the domain; null for other declarations. */
  readonly #functions = new Map<Key, string | null>();
  readonly #uses = new Map<Key, Set<Key>>();
  readonly #symbols = new Map<Node, Symbol>();
  readonly #aliased = new Map<number, Symbol>();
  readonly #types = new Map<Node, Type | undefined>();

  constructor(private readonly parts: Parts) {
    const api = new API({});
    const project = api.updateSnapshot({ openProjects: [parts.config] }).getProjects()[0];
    if (project === undefined) throw new Error(`There is no project ${parts.config}`);
    this.#checker = project.checker;
    for (const path of project.program.getSourceFileNames().filter(parts.isPart)) {
      const file = project.program.getSourceFile(path);
      if (file !== undefined) this.#read(path, file);
    }
    api.close();
  }

  /**
   * `path name` of each domain function that no module's top-level statement uses, directly or indirectly.
   */
  unreached(): readonly string[] {
    const reached = new Set<Key>([TOP_LEVEL]);
    for (const key of reached) for (const used of this.#uses.get(key) ?? []) reached.add(used);
    const unreached = [...this.#functions].filter(([key]) => !reached.has(key));
    return unreached.map(([, declared]) => declared).filter((declared) => declared !== null);
  }

  #read(path: string, file: Node): void {
    const names = namesOfValues(file);
    for (const [index, symbol] of this.#checker.getSymbolAtLocation(names).entries()) {
      const name = names[index];
      if (symbol !== undefined && name !== undefined) this.#symbols.set(name, symbol);
    }
    for (const name of names) {
      const owner = this.#ownerOf(path, name);
      for (const used of this.#usedBy(name)) {
        const key = keyOf(this.#resolved(used));
        if (key !== undefined && key !== owner) addTo(this.#uses, owner, key);
      }
    }
  }

  /** Symbols that a name refers to; in `const { get } = records`, also the member `get`. */
  #usedBy(name: Node): readonly Symbol[] {
    const { parent } = name;
    const symbol = isShorthandPropertyAssignment(parent)
      ? this.#checker.getShorthandAssignmentValueSymbol(parent)
      : this.#symbols.get(name);
    const member =
      isBindingElement(parent) && parent.name === name
        ? this.#memberOf(this.#typeOf(parent.parent), parent.propertyName ?? name)
        : undefined;
    return [symbol, member].filter((used) => used !== undefined);
  }

  #resolved(symbol: Symbol): Symbol {
    if ((symbol.flags & SymbolFlags.Alias) === 0) return symbol;
    const target = this.#aliased.get(symbol.id) ?? this.#checker.getAliasedSymbol(symbol);
    this.#aliased.set(symbol.id, target);
    return target;
  }

  /** The declaration in which a node stands. */
  #ownerOf(path: string, node: Node): Key {
    if (isSourceFile(node)) return TOP_LEVEL;
    const declared = this.#declaredBy(path, node);
    const key = declared && keyOf(declared);
    if (key === undefined) return this.#ownerOf(path, node.parent);
    if (declared !== undefined && !this.#functions.has(key) && this.parts.isDomain(path)) {
      this.#functions.set(key, this.#isFunction(declared) ? `${path} ${declared.name}` : null);
    }
    return key;
  }

  #declaredBy(path: string, node: Node): Symbol | undefined {
    if (isFunctionDeclaration(node) || isClassDeclaration(node)) {
      return node.name && this.#symbols.get(node.name);
    }
    if ((isVariableDeclaration(node) || isBindingElement(node)) && isAtTopLevel(node)) {
      return node.name && this.#symbols.get(node.name);
    }
    if (!this.parts.isDomain(path)) return undefined;
    const { parent } = node;
    if (isClassDeclaration(parent) && (isMethodDeclaration(node) || isPropertyDeclaration(node))) {
      return this.#symbols.get(node.name);
    }
    const isMember =
      isMethodDeclaration(node) || isPropertyAssignment(node) || isShorthandPropertyAssignment(node);
    if (!isMember || !isObjectLiteralExpression(parent)) return undefined;
    const member = this.#memberOf(this.#contextOf(parent), node.name);
    const isOfDomain = this.parts.isDomain(member?.valueDeclaration?.path ?? '');
    return member !== undefined && isOfDomain && this.#isFunction(member) ? member : undefined;
  }

  #isFunction(symbol: Symbol): boolean {
    const type = this.#checker.getTypeOfSymbol(symbol);
    return type !== undefined && this.#checker.getSignaturesOfType(type, SignatureKind.Call).length > 0;
  }

  #memberOf(type: Type | undefined, name: Node | undefined): Symbol | undefined {
    return type && name && isIdentifier(name) ? this.#checker.getPropertyOfType(type, name.text) : undefined;
  }

  #typeOf(node: Node): Type | undefined {
    if (!this.#types.has(node)) this.#types.set(node, this.#checker.getTypeAtLocation(node));
    return this.#types.get(node);
  }

  #contextOf(node: Expression): Type | undefined {
    if (!this.#types.has(node)) this.#types.set(node, this.#checker.getContextualType(node));
    return this.#types.get(node);
  }
}

/** A member of a generic type has one symbol for each type argument, but one declaration. */
function keyOf(symbol: Symbol): Key | undefined {
  const declared = symbol.valueDeclaration ?? symbol.declarations[0];
  return declared && `${declared.path} ${declared.index}`;
}

function addTo(map: Map<Key, Set<Key>>, key: Key, value: Key): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, new Set([value]));
  else known.add(value);
}

function isAtTopLevel(node: Node): boolean {
  if (isSourceFile(node)) return true;
  return !isFunctionLikeDeclaration(node) && isAtTopLevel(node.parent);
}

function namesOfValues(node: Node, names: Node[] = []): Node[] {
  if (isIdentifier(node) || isPrivateIdentifier(node)) names.push(node);
  node.forEachChild((child) => {
    if (!isWithoutValues(child)) namesOfValues(child, names);
  });
  return names;
}

/** Types, imports and exports; but `extends Base` uses a value. */
function isWithoutValues(node: Node): boolean {
  if (isImportDeclaration(node) || isExportDeclaration(node)) return true;
  if (isInterfaceDeclaration(node) || isTypeAliasDeclaration(node)) return true;
  return isTypeNode(node) && !isExpressionWithTypeArguments(node);
}
