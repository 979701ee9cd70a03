import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const sources = fileURLToPath(new URL('../apps/server/src', import.meta.url));

/** The folders whose modules may keep state: a thread of the pool owns what its tasks keep open, and rigs are never shipped. */
const ownFolders = ['predict/compute/', 'testing/'];
/** The state that belongs to the process itself, by file and name, with the reason. */
const ofTheProcess: Record<string, string> = {
  'accounts/passwords.ts decoy': 'a constant that is made at its first use, since making it takes long',
  'ground/plugins/load-plugin.ts firstStamps': 'follows the modules that Node keeps for the whole process',
  'store/postgres/guarded-driver.ts names': 'a register that modules fill when they are loaded',
};
/** The constructors of values that do not change, apart from collections that the module changes itself. */
const harmless = new Set(['Int32Array', 'Map', 'RegExp', 'Set', 'URL', 'W3CTraceContextPropagator']);
const changing =
  /^(?:add|append|clear|copyWithin|delete|fill|pop|push|reverse|set|shift|sort|splice|unshift)$/;

/** Returns the names of the variables and static fields of a module that keep state between calls. */
function stateOf(text: string): string[] {
  const source = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest);
  const changed = changedNames(source);
  return source.statements.flatMap((statement): string[] => {
    if (ts.isClassDeclaration(statement)) return staticState(statement, source);
    if (!ts.isVariableStatement(statement) || isAmbient(statement)) return [];
    const isConst = (statement.declarationList.flags & ts.NodeFlags.Const) !== 0;
    return statement.declarationList.declarations
      .filter(({ name, initializer }) => {
        const named = name.getText(source);
        return !isConst || keepsState(initializer, source, changed.has(named));
      })
      .map(({ name }) => name.getText(source));
  });
}

const isAmbient = (statement: ts.VariableStatement) =>
  statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword) === true;

function staticState(declaration: ts.ClassDeclaration, source: ts.SourceFile): string[] {
  return declaration.members.flatMap((member) => {
    if (!ts.isPropertyDeclaration(member)) return [];
    const has = (kind: ts.SyntaxKind) =>
      member.modifiers?.some((modifier) => modifier.kind === kind) === true;
    if (!has(ts.SyntaxKind.StaticKeyword)) return [];
    const isFixed = has(ts.SyntaxKind.ReadonlyKeyword) && !keepsState(member.initializer, source, false);
    return isFixed ? [] : [member.name.getText(source)];
  });
}

function keepsState(
  initializer: ts.Expression | undefined,
  source: ts.SourceFile,
  isChanged: boolean,
): boolean {
  const value = initializer === undefined ? undefined : bare(initializer);
  if (value === undefined) return true;
  if (ts.isArrayLiteralExpression(value)) return isChanged || value.elements.length === 0;
  if (ts.isObjectLiteralExpression(value)) return isChanged || value.properties.length === 0;
  if (!ts.isNewExpression(value)) return isChanged;
  const maker = value.expression.getText(source);
  if (maker === 'WeakMap' || maker === 'WeakSet') return false;
  const isEmpty = (maker === 'Map' || maker === 'Set') && (value.arguments?.length ?? 0) === 0;
  return isChanged || isEmpty || !harmless.has(maker);
}

/** Returns the value without casts and brackets. */
function bare(value: ts.Expression): ts.Expression {
  const isWrapped =
    ts.isAsExpression(value) ||
    ts.isSatisfiesExpression(value) ||
    ts.isNonNullExpression(value) ||
    ts.isParenthesizedExpression(value);
  return isWrapped ? bare(value.expression) : value;
}

/** Returns the names on which the module calls a method that changes a collection, or of which it sets or deletes a member. */
function changedNames(source: ts.SourceFile): ReadonlySet<string> {
  const found = new Set<string>();
  const note = (target: ts.Expression) => {
    let owner = bare(target);
    if (!ts.isPropertyAccessExpression(owner) && !ts.isElementAccessExpression(owner)) return;
    while (ts.isPropertyAccessExpression(owner) || ts.isElementAccessExpression(owner))
      owner = bare(owner.expression);
    if (ts.isIdentifier(owner)) found.add(owner.text);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      if (changing.test(node.expression.name.text)) note(node.expression);
    } else if (ts.isDeleteExpression(node)) note(node.expression);
    else if (ts.isBinaryExpression(node) && ts.isAssignmentOperator(node.operatorToken.kind)) note(node.left);
    else if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) note(node.operand);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

it('finds what a module keeps between calls', () => {
  const text = `
    let last: string | null = null;
    const cache = new LastValue<string>();
    const byKey = new Map<string, number>();
    const seen: string[] = [];
    const counts = { jobs: 0 };
    const filled = new Set(['a']);
    class Store { static open = 0; static readonly limit = 3; static readonly #all = new Map(); }
    function note() { counts.jobs += 1; filled.add('b'); seen.length; }
    const names = new Set(['a', 'b']);
    const byOwner = new WeakMap<object, number>();
    const pattern = new RegExp('a');
    const list = ['a'] as const;
    const makeCache = () => new LastValue<string>();
    declare const outside: { value: number };
    byOwner.set(note, 1);
    list.map((one) => { const copy = [one]; copy.push(''); return copy; });`;
  expect(stateOf(text)).toEqual(['last', 'cache', 'byKey', 'seen', 'counts', 'filled', 'open', '#all']);
});

it('no module of the server keeps state that has no owner', () => {
  const files = readdirSync(sources, { recursive: true })
    .map((path) => String(path).replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !/\.(?:test|d)\.ts$/.test(path))
    .filter((path) => !ownFolders.some((folder) => path.startsWith(folder)));
  expect(files.length).toBeGreaterThan(100);
  const found = files.flatMap((path) =>
    stateOf(readFileSync(join(sources, path), 'utf8')).map((name) => `${path} ${name}`),
  );
  // A value between jobs belongs in a part of Memory (ground/memory.ts), or in a WeakMap whose key is its owner.
  expect(found.sort()).toEqual(Object.keys(ofTheProcess).sort());
});
