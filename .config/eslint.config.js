import tseslint from 'typescript-eslint';

const readsEnvironment = [
  { object: 'process', property: 'env', message: 'Only main.ts reads the environment.' },
];
const readsTime = [
  { object: 'Date', property: 'now', message: 'Only the clock reads the time.' },
  { object: 'performance', property: 'now', message: 'Only the clock reads the time.' },
];
const newDate = {
  selector: "NewExpression[callee.name='Date'][arguments.length=0]",
  message: 'Only the clock reads the time.',
};

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'coverage/', 'data/', 'test/gql/'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname + '/..' },
    },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'no-console': 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
      'no-restricted-properties': ['error', ...readsEnvironment, ...readsTime],
      'no-restricted-syntax': ['error', newDate],
    },
  },
  {
    files: ['src/platform/clock.ts'],
    rules: { 'no-restricted-properties': ['error', ...readsEnvironment], 'no-restricted-syntax': 'off' },
  },
  { files: ['src/main.ts'], rules: { 'no-restricted-properties': ['error', ...readsTime] } },
  { files: ['test/**/*.ts'], rules: { 'max-lines': ['error', { max: 400 }] } },
);
