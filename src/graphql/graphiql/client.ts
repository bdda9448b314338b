/**
 * Starts GraphiQL in the browser. GraphiQL's tabs are list items with the role `tab` that contain buttons,
 * which screen readers cannot reach: the script makes them a plain list whose current button is marked.
 */
export const SCRIPT = `
const { workers, options } = JSON.parse(document.getElementById('settings').textContent);
self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_module, label) => workers[label] };
const root = document.getElementById('root');

const setAttribute = (element, name, value) => {
  if (element === null || element.getAttribute(name) === value) return;
  if (value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
};
const correctTabs = () => {
  setAttribute(root.querySelector('.graphiql-tabs'), 'role', null);
  for (const tab of root.querySelectorAll('.graphiql-tab')) {
    setAttribute(tab, 'role', null);
    setAttribute(tab, 'aria-selected', null);
    const isCurrent = tab.classList.contains('graphiql-tab-active');
    setAttribute(tab.querySelector('.graphiql-tab-button'), 'aria-current', isCurrent ? 'true' : null);
  }
  const session = root.querySelector('#graphiql-session');
  setAttribute(session, 'role', 'region');
  setAttribute(session, 'aria-labelledby', null);
  setAttribute(session, 'aria-label', 'Operation and result');
};
new MutationObserver(correctTabs).observe(root, {
  childList: true,
  subtree: true,
  attributeFilter: ['role', 'aria-selected', 'class'],
});

// GraphiQL keeps the edited query in the address. Without a query it would open an empty tab at each reload.
const edited = new URLSearchParams(location.search).get('query');
YogaGraphiQL.renderYogaGraphiQL(root, { ...options, initialQuery: edited ?? options.defaultQuery });
`;
