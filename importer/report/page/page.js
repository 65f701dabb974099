(() => {
'use strict';
const began = performance.now();
const byId = id => document.getElementById(id);
const data = JSON.parse(byId('data').textContent);
const numbers = new Intl.NumberFormat('en-GB');
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone: 'UTC' }); // of times that are shifted into the page's zone

// make builds an element; whatever comes from the data goes in as text, never as markup, and with its marks visible.
const marks = new RegExp(`[${data.marks}]`, 'g');
const visible = child => typeof child === 'string' ? child.replace(marks, mark => `⟨U+${mark.charCodeAt(0).toString(16).toUpperCase()}⟩`) : child;
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === 'on') Object.entries(value).forEach(([event, act]) => element.addEventListener(event, act));
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== '').map(visible));
  return element;
}

// Chunks: each is deflated and in base64.
async function unpack(script) {
  return new Response(new Blob([bytesOf(script.textContent.slice(1, -1))]).stream().pipeThrough(new DecompressionStream('deflate-raw'))).text();
}
function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const packed = atob(text);
  const bytes = new Uint8Array(packed.length);
  for (let at = 0; at < packed.length; at++) bytes[at] = packed.charCodeAt(at);
  return bytes;
}
const chunks = kind => [...document.querySelectorAll(`script[data-chunk="${kind}"]`)];

const all = { q: [], k: [], n: [], o: [], a: [], s: [], r: [], m: [], c: [], w: [], t: [], e: [] };
const facets = data.facets.map(name => ({ name, places: new Map(), values: [], of: [] }));
async function loadIndex() {
  for (const text of await Promise.all(chunks('index').map(unpack))) {
    const chunk = JSON.parse(text);
    for (const name in all) for (const value of chunk[name]) all[name].push(value);
    facets.forEach((facet, n) => merge(facet, chunk.f[n]));
  }
}
// merge adds a block's values of a facet to those of all.
function merge(facet, values) {
  for (const value of values) {
    if (!facet.places.has(value)) facet.places.set(value, facet.values.push(value) - 1);
    facet.of.push(facet.places.get(value));
  }
}

let details = [];
async function detailOf(record) {
  const at = Math.floor(record / data.detail);
  details[at] ??= unpack(chunks('detail')[at]).then(JSON.parse);
  return (await details[at])[record % data.detail];
}

// Search: one long text for each chunk, a record to a line; looked for with indexOf, which needs no text of its own
// for each record.
const fold = text => text.normalize('NFKD').replace(/\p{Mn}/gu, '').toLowerCase();
let texts = null;
function loadTexts() {
  texts ??= Promise.all(chunks('text').map(unpack)).then(parts => {
    let first = 0;
    return parts.map(text => {
      const ends = [];
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) ends.push(at);
      const part = { text, ends, first };
      first += ends.length;
      return part;
    });
  });
  return texts;
}
async function search(query) {
  const words = fold(query).split(/\s+/).filter(Boolean);
  if (!words.length) return null;
  const parts = await loadTexts();
  const hits = new Uint8Array(all.q.length);
  words.forEach((word, n) => {
    for (const { text, ends, first } of parts) {
      let line = 0;
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, ends[line] + 1)) {
        while (ends[line] < at) line++;
        if (hits[first + line] === n) hits[first + line]++;
      }
    }
  });
  return record => hits[record] === words.length;
}

// The table: what is asked for, what that selects, and the page of it that is shown.
const asked = { query: '', outcomes: null, action: -1, source: -1, cause: -1, facets: facets.map(() => -1), sort: 'place', down: false, page: 0, size: 50 };
let shown = [];
const orders = {
  place: (a, b) => all.s[a] - all.s[b] || all.r[a] - all.r[b] || a - b,
  key: ranked('k'), name: ranked('n'), what: ranked('w'),
  outcome: (a, b) => all.o[a] - all.o[b] || a - b,
  tries: (a, b) => all.t[a] - all.t[b] || a - b,
  time: (a, b) => all.e[a] - all.e[b] || a - b,
};
// ranked orders texts as people do, numbers in them by their size; the texts to compare are made once.
function ranked(name) {
  let keys = null;
  return (a, b) => {
    keys ??= all[name].map(text => fold(text).replace(/\d+/g, digits => digits.padStart(12, '0')));
    return keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : a - b;
  };
}

// inOrder tells that there is nothing to sort: a run's records mostly come in the order of their rows.
function inOrder(list, order) {
  for (let at = 1; at < list.length; at++) if (order(list[at - 1], list[at]) > 0) return false;
  return true;
}

async function select() {
  const found = await search(asked.query);
  const list = [];
  for (let record = 0; record < all.q.length; record++) {
    if (!asked.outcomes.has(all.o[record])) continue;
    if (asked.action >= 0 && all.a[record] !== asked.action) continue;
    if (asked.source >= 0 && all.s[record] !== asked.source) continue;
    if (facets.some((facet, n) => asked.facets[n] >= 0 && facet.of[record] !== asked.facets[n])) continue;
    if (asked.cause >= 0 && !all.c[record].includes(asked.cause)) continue;
    if (found && !found(record)) continue;
    list.push(record);
  }
  if (!inOrder(list, orders[asked.sort])) list.sort(orders[asked.sort]);
  if (asked.down) list.reverse();
  return list;
}

let latest = 0;
async function refresh(page = 0) {
  const mine = ++latest, start = performance.now();
  const list = await select();
  if (mine !== latest) return;
  shown = list;
  asked.page = page;
  draw();
  document.documentElement.dataset.filterMs = (performance.now() - start).toFixed(1);
}

const columns = [
  ['place', 'Row'], ['key', 'Reference'], ['name', 'Name'], ['outcome', 'Outcome'], ['what', 'What happened'],
].concat(data.sent ? [['tries', 'Requests'], ['time', 'At']] : []);
let parts = {};

function draw() {
  const pages = Math.max(1, Math.ceil(shown.length / asked.size));
  asked.page = Math.min(Math.max(asked.page, 0), pages - 1);
  const from = asked.page * asked.size, rows = shown.slice(from, from + asked.size);
  parts.body.replaceChildren(...rows.map(line));
  parts.status.textContent = shown.length === 0 ? 'No matching records. Choose other outcomes or change the search.'
    : `${numbers.format(from + 1)}–${numbers.format(from + rows.length)} of ${numbers.format(shown.length)} ${shown.length === 1 ? 'record' : 'records'}`
      + (shown.length < all.q.length ? ` (${numbers.format(all.q.length)} ${all.q.length < data.total ? 'listed' : 'in all'})` : '');
  parts.first.disabled = parts.back.disabled = asked.page === 0;
  parts.next.disabled = parts.last.disabled = asked.page >= pages - 1;
  parts.number.value = asked.page + 1;
  parts.number.max = pages;
  parts.of.textContent = `of ${numbers.format(pages)}`;
  for (const [name, header] of Object.entries(parts.headers)) {
    if (name === asked.sort) header.setAttribute('aria-sort', asked.down ? 'descending' : 'ascending');
    else header.removeAttribute('aria-sort');
  }
  for (const chip of parts.chips) chip.setAttribute('aria-pressed', asked.outcomes.has(Number(chip.dataset.outcome)));
}

function place(record) {
  if (all.s[record] < 0) return '—';
  const more = all.m[record] > 1 ? ` +${all.m[record] - 1}` : '';
  return `${all.r[record]}${more}`;
}

function line(record) {
  const outcome = all.o[record];
  const opener = make('button', { type: 'button', class: 'open-it', 'aria-expanded': 'false', 'aria-label': `Row ${place(record)}, ${all.k[record]}: details` }, place(record));
  const time = all.e[record] < 0 ? '' : clock.format(data.started + all.e[record]);
  const file = data.sources.length > 1 && all.s[record] >= 0 ? make('div', { class: 'soft' }, data.sources[all.s[record]].name) : '';
  const whose = facets.map(facet => facet.values[facet.of[record]]).filter(Boolean).join(' · ');
  const row = make('tr', { class: 'line', 'data-seq': all.q[record] },
    make('td', {}, opener, file),
    make('td', { class: 'key' }, all.k[record]),
    make('td', { class: 'name' }, all.n[record], whose ? make('div', { class: 'soft' }, whose) : ''),
    make('td', { class: 'outcome' }, make('i', { class: `f${outcome}` }), data.words[outcome]),
    make('td', { class: 'why' }, all.w[record]),
    data.sent ? [make('td', { class: 'num' }, all.t[record] ? String(all.t[record]) : ''), make('td', { class: 'when' }, time)] : '');
  row.addEventListener('click', event => {
    if (!event.target.closest('a') && !String(getSelection())) toggle(record, row, opener);
  });
  return row;
}

async function toggle(record, row, opener) {
  if (opener.getAttribute('aria-expanded') === 'true') {
    opener.setAttribute('aria-expanded', 'false');
    row.classList.remove('open');
    if (row.nextSibling && row.nextSibling.classList.contains('detail')) row.nextSibling.remove();
    return;
  }
  opener.setAttribute('aria-expanded', 'true');
  row.classList.add('open');
  const detail = await detailOf(record);
  if (opener.getAttribute('aria-expanded') === 'true' && row.isConnected) {
    row.after(make('tr', { class: 'detail' }, make('td', { colspan: columns.length }, describe(record, detail))));
  }
}

// A record in full.
function describe(record, d) {
  const outcome = data.outcomes[all.o[record]];
  const facts = [`Record ${all.q[record]}`, d.i && `id in the service ${d.i}`, d.h && `status ${d.h}`].filter(Boolean).join(' · ');
  const sent = outcome === 'created' || outcome === 'updated' ? 'What was sent' : d.t && d.t.length ? 'What was sent' : 'What would be sent';
  return [
    make('p', { class: 'soft' }, facts),
    reasons('Why', d.y), d.g && !(d.y || []).some(reason => reason.message === d.g) ? [make('h3', {}, outcome === 'in_doubt' || outcome === 'failed' ? 'What went wrong' : 'The service said'), make('div', { class: 'text' }, d.g)] : '',
    reasons('Worth checking', d.z),
    make('div', { class: d.u ? 'panes stack' : 'panes' }, [
      source(all.q[record], d), [fields(d.f, d.u, d.b ? 'From the row' : sent), fields(d.b, false, sent + ', without what the service already holds')],
    ].filter(pane => pane.flat().length).map(pane => make('div', {}, pane))),
    attempts(all.q[record], d.t),
  ];
}

function reasons(title, list) {
  if (!list || !list.length) return [];
  return [make('h3', {}, title), make('ul', {}, list.map(reason => make('li', {},
    reason.cell || reason.row ? [make('b', {}, reason.cell || `row ${reason.row}`), ' '] : '',
    reason.message, reason.hint ? make('span', { class: 'soft' }, ' ' + reason.hint) : '')))];
}

function valueOf(cell) {
  if (cell === null || cell === undefined || cell === '') return make('span', { class: 'nothing' }, 'empty');
  if (typeof cell === 'string') return make('span', { class: 'text' }, cell);
  return make('span', { class: 'text' }, Object.values(cell)[0]);
}

function letter(column) {
  let letters = '';
  for (let n = column + 1; n > 0; n = Math.floor((n - 1) / 26)) letters = String.fromCharCode(65 + (n - 1) % 26) + letters;
  return letters;
}

function source(record, d) {
  const rows = d.r || [];
  if (!rows.length) return [];
  const bad = new Set((d.x || []).map(([row, column]) => `${row}/${column}`));
  const [at, number, cells] = rows[0];
  const named = data.sources[at] || { name: 'an unknown file', header: [] };
  if (!rows.some(row => row[2])) {
    return [make('h3', {}, 'In the file'), make('p', { class: 'soft' }, rows.map(row => `${(data.sources[row[0]] || named).name}, row ${row[1]}`).join('; '))];
  }
  if (rows.length === 1) return [make('h3', {}, `In the file: ${named.name}, row ${number}`), oneRow(named.header || [], cells || [], column => bad.has(`0/${column}`))];
  return [make('h3', {}, `In the file: ${rows.length} rows`), manyRows(record, rows, (row, column) => bad.has(`${row}/${column}`), (d.y || []).some(reason => /duplicate|disagree/.test(reason.code)))];
}

function oneRow(header, cells, bad) {
  const rows = [];
  let empty = 0;
  for (let column = 0; column < Math.max(header.length, cells.length); column++) {
    const blank = cells[column] === null || cells[column] === undefined;
    if (blank && !bad(column)) { empty++; continue; }
    rows.push(make('tr', { class: bad(column) ? 'bad' : null }, make('th', { scope: 'row' }, make('span', { class: 'letter' }, letter(column)), ' ', header[column] || ''), make('td', {}, valueOf(cells[column]))));
  }
  return [make('table', {}, make('tbody', {}, rows)), empty ? make('p', { class: 'soft' }, `${empty} empty ${empty === 1 ? 'cell' : 'cells'} not shown`) : ''];
}

// manyRows shows the rows of a record: a few side by side, so that they can be compared, many one under the other.
function manyRows(record, rows, bad, compare) {
  const header = (data.sources[rows[0][0]] || {}).header || [];
  const width = Math.max(header.length, ...rows.map(row => (row[2] || []).length));
  const cell = (row, column) => (rows[row][2] || [])[column];
  const used = [...Array(width).keys()].filter(column => rows.some((_, row) => cell(row, column) != null || bad(row, column)));
  const number = row => (data.sources.length > 1 ? (data.sources[row[0]] || {}).name + ' ' : '') + row[1];
  const name = column => [make('span', { class: 'letter' }, letter(column)), ' ', header[column] || ''];
  const differs = column => compare && rows.some((_, row) => JSON.stringify(cell(row, column)) !== JSON.stringify(cell(0, column)));
  const value = (row, column) => make('td', { class: bad(row, column) ? 'bad' : differs(column) ? 'changed' : null }, valueOf(cell(row, column)));
  const table = rows.length <= 4
    ? [make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, 'Column'), rows.map(row => make('th', { scope: 'col' }, 'Row ' + number(row))))),
      make('tbody', {}, used.map(column => make('tr', {}, make('th', { scope: 'row' }, name(column)), rows.map((_, row) => value(row, column)))))]
    : [make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, 'Row'), used.map(column => make('th', { scope: 'col' }, name(column))))),
      make('tbody', {}, rows.map((row, n) => make('tr', {}, make('th', { scope: 'row' }, number(row)), used.map(column => value(n, column)))))];
  return make('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': `The rows of record ${record}` }, make('table', {}, table));
}

function said(value) {
  if (value === null || value === undefined) return make('span', { class: 'nothing' }, 'nothing');
  if (typeof value === 'string') return value === '' ? make('span', { class: 'nothing' }, 'empty') : make('span', { class: 'text' }, value);
  return make('span', { class: 'literal' }, value[0]);
}

function fields(list, replaces, title) {
  if (!list || !list.length) return [];
  const changed = field => replaces && field.length > 2;
  return [make('h3', {}, title), make('table', { class: replaces ? 'fields both' : 'fields' },
    make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, 'Field'), replaces ? make('th', { scope: 'col' }, 'Before') : '', make('th', { scope: 'col' }, replaces ? 'Now' : 'Value'))),
    make('tbody', {}, list.map(field => make('tr', { class: changed(field) ? 'changed' : null },
      make('th', { scope: 'row' }, make('code', {}, field[0])),
      replaces ? make('td', {}, changed(field) ? (field[2] === null ? said(null) : make('del', {}, said(field[2]))) : make('span', { class: 'soft' }, 'the same')) : '',
      make('td', {}, field[3] ? make('span', { class: 'nothing' }, 'nothing is sent: stays in the service') : changed(field) ? make('ins', {}, said(field[1])) : said(field[1]))))))];
}

function attempts(record, list) {
  if (!list || !list.length) return [];
  return [make('h3', {}, list.length === 1 ? 'The request' : `The ${list.length} requests`), make('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': `Requests of record ${record}` }, make('table', {},
    make('thead', {}, make('tr', {}, ['No.', 'At', 'Took', 'Status', 'Verdict', 'Answer'].map(title => make('th', { scope: 'col' }, title)))),
    make('tbody', {}, list.map(([number, at, took, status, verdict, error, answer]) => make('tr', {},
      make('th', { scope: 'row' }, String(number)), make('td', {}, clock.format(data.started + at)), make('td', {}, `${numbers.format(took)} ms`),
      make('td', {}, status ? String(status) : 'no answer'), make('td', {}, verdict.replaceAll('_', ' ')),
      make('td', {}, error ? make('div', {}, error) : '', answer ? make('pre', {}, answer) : ''))))))];
}

// The controls.
function control(label, kind, element) { return make('label', { class: kind }, label, element); }
function choice(asked, name, options, kind, label) {
  const list = make('select', { on: { change: event => { asked[name] = Number(event.target.value); refresh(); } } },
    make('option', { value: -1 }, 'any'), options.map(([value, text]) => make('option', { value }, text)));
  parts.choices.push(() => { list.value = asked[name]; });
  return control(label, kind, list);
}
// ofFacet offers the values of a facet, unless all records have the same.
function ofFacet(facet, n) {
  if (facet.values.length < 2) return '';
  const order = new Intl.Collator('en', { numeric: true });
  const options = facet.values.map((text, at) => [at, text || 'not said']).sort((a, b) => order.compare(facet.values[a[0]], facet.values[b[0]]));
  return choice(asked.facets, n, options, 'pick', facet.name);
}

function build() {
  const present = data.outcomes.map((_, n) => n).filter(n => all.o.includes(n));
  const unchanged = data.outcomes.indexOf('unchanged');
  asked.outcomes = new Set(present.filter(n => n !== unchanged || present.length === 1));
  const count = n => all.o.reduce((sum, outcome) => sum + (outcome === n), 0);
  let waiting = 0;
  parts.choices = [];
  parts.query = make('input', { type: 'search', autocomplete: 'off', spellcheck: 'false', on: {
    focus: loadTexts,
    input: event => { clearTimeout(waiting); waiting = setTimeout(() => { asked.query = event.target.value; refresh(); }, 120); },
  } });
  parts.chips = present.map(n => make('button', { type: 'button', 'data-outcome': n, 'aria-pressed': 'true', on: { click: () => {
    asked.outcomes.has(n) ? asked.outcomes.delete(n) : asked.outcomes.add(n);
    refresh();
  } } }, make('i', { class: `f${n}` }), `${data.words[n]} ${numbers.format(count(n))}${count(n) < data.counts[n] ? ' of ' + numbers.format(data.counts[n]) : ''}`));
  const actions = data.actions.map((name, n) => [n, name]).filter(([n]) => all.a.includes(n));
  parts.headers = {};
  const head = columns.map(([name, title]) => parts.headers[name] = make('th', { scope: 'col' },
    make('button', { type: 'button', on: { click: () => { asked.down = asked.sort === name && !asked.down; asked.sort = name; refresh(); } } }, title)));
  parts.body = make('tbody');
  parts.status = make('p', { class: 'status', role: 'status', 'aria-live': 'polite' });
  const go = (text, label, to) => make('button', { type: 'button', 'aria-label': label, on: { click: () => { asked.page = to(); draw(); } } }, text);
  parts.first = go('«', 'First page', () => 0);
  parts.back = go('‹ Back', null, () => asked.page - 1);
  parts.next = go('Next ›', null, () => asked.page + 1);
  parts.last = go('»', 'Last page', () => Infinity);
  parts.number = make('input', { type: 'number', min: '1', on: { change: event => { asked.page = Number(event.target.value) - 1 || 0; draw(); } } });
  parts.of = make('span');
  const sizes = make('select', { on: { change: event => { asked.size = Number(event.target.value); refresh(); } } }, [50, 100, 500].map(size => make('option', { value: size }, String(size))));
  byId('table').replaceChildren(
    make('div', { class: 'tools' },
      control('Search references, names and cells', 'search', parts.query),
      data.causes.length ? choice(asked, 'cause', data.causes.map((text, n) => [n, text]), 'wide-pick', 'Reason') : '',
      actions.length > 1 ? choice(asked, 'action', actions, 'pick', 'Action') : '',
      facets.map(ofFacet),
      data.sources.length > 1 ? choice(asked, 'source', data.sources.map((source, n) => [n, source.name]), 'pick', 'File') : '',
      make('button', { type: 'button', on: { click: () => show({}) } }, 'Show all')),
    make('fieldset', { class: 'chips' }, make('legend', {}, 'Outcomes to show'), parts.chips),
    parts.status,
    make('table', { class: 'records', 'aria-labelledby': 'records-title' }, make('thead', {}, make('tr', {}, head)), parts.body),
    make('div', { class: 'pager' }, parts.first, parts.back, make('label', {}, 'Page', parts.number, parts.of), parts.next, parts.last, make('span', { class: 'gap' }), make('label', {}, 'Rows per page', sizes)));
  parts.present = present;
}

function show(wanted) {
  Object.assign(asked, { query: '', action: -1, source: -1, cause: -1 }, wanted);
  asked.facets.fill(-1);
  asked.outcomes = new Set(wanted.outcomes || parts.present);
  parts.query.value = '';
  for (const update of parts.choices) update();
  return refresh();
}

function follow(event) {
  const link = event.target.closest('a[data-outcome], a[data-cause]');
  if (!link) return;
  if (link.dataset.cause) show({ cause: Number(link.dataset.cause) });
  else show({ outcomes: [Number(link.dataset.outcome)] });
}

document.addEventListener('DOMContentLoaded', async () => {
  if (!('DecompressionStream' in window)) return;
  await loadIndex();
  if (all.q.length === 0 && byId('left')) return; // the records are told by their number alone
  build();
  byId('plain').hidden = true;
  byId('table').hidden = false;
  document.addEventListener('click', follow);
  await refresh();
  document.documentElement.dataset.readyMs = (performance.now() - began).toFixed(1);
});
})();
