/**
 * Searches the page, and writes the address and the token into the examples.
 *
 * An entry is an operation or a paragraph of the introduction. Each word of a search counts at the first of three
 * levels where it begins a word of any entry: titles and paths, names of fields, descriptions. So a word that is
 * common in descriptions, such as `group`, finds only what is about groups.
 */
export const SCRIPT = `
const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
const textOf = (elements) => elements.map((element) => element.textContent).join(' ');
const wordsIn = (text) => text.toLowerCase().split(/[^\\p{L}\\p{N}]+/u).filter(Boolean);

const linkTo = (id) => document.querySelector('nav li a[href="#' + id + '"]').parentElement;
const operations = all('.operation').map((element) => ({
  shown: [element, linkTo(element.id)],
  levels: [
    element.dataset.words,
    element.dataset.scope + ' ' + textOf(all('td:first-child code', element)),
    textOf(all(':scope > p:not(.scope)', element)),
  ].map(wordsIn),
}));
const paragraphs = all('main > p, #examples').map((element) => ({
  shown: [element],
  levels: [textOf(all('strong, h2', element)), textOf(all('code', element)), element.textContent].map(wordsIn),
}));
const entries = [...operations, ...paragraphs];

const has = ({ levels }, word, level) =>
  levels.slice(0, level + 1).some((words) => words.some((each) => each.startsWith(word)));
const levelOf = (word) => [0, 1, 2].find((level) => entries.some((entry) => has(entry, word, level))) ?? 2;

const search = document.getElementById('search');
const found = document.getElementById('found');
const show = () => {
  const words = wordsIn(search.value).map((word) => [word, levelOf(word)]);
  const isEmpty = search.value.trim() === '';
  const isFound = (entry) => isEmpty || (words.length > 0 && words.every(([word, level]) => has(entry, word, level)));
  const matches = entries.filter(isFound);
  for (const entry of entries) {
    for (const element of entry.shown) element.hidden = !matches.includes(entry);
  }
  for (const heading of all('nav h2')) {
    heading.hidden = [...heading.nextElementSibling.children].every((link) => link.hidden);
    document.querySelector('main > ' + heading.firstElementChild.hash).hidden = heading.hidden;
  }
  found.textContent = isEmpty
    ? ''
    : matches.length === 0
      ? 'Nothing matches. Search for a path, a field or a word of a title.'
      : matches.length + ' of ' + entries.length + ' sections match.';
};
search.hidden = false;
search.addEventListener('input', show);
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
  event.preventDefault();
  search.focus();
});

const token = document.getElementById('token');
const examples = all('pre.command').map((element) => [element, element.textContent]);
const fill = () => {
  const given = encodeURIComponent(token.value.trim());
  for (const [element, text] of examples) {
    const addressed = text.replaceAll('$BASE_URL', location.origin);
    element.textContent = given === '' ? addressed : addressed.replaceAll('$TOKEN', given);
  }
};
const variables = document.getElementById('variables');
variables.textContent = ['TOKEN=', 'DEVICE_TOKEN='].map((name) => name + variables.dataset.token).join('\\n');
document.getElementById('fill').hidden = false;
token.addEventListener('input', fill);
fill();
search.value = '';
`;
