// The pages of Tests/browser. `who` asks the server for the e-mail of the user with whose session the browser started;
// `refresh` renews the token and returns it, or null if the session has none to renew. `own` replaces an SDK that is
// missing, and does what the sources of the SDK do with the state.

async function send(url, token, options = {}) {
    const headers = { "Content-Type": "application/json", ...(token && { Authorization: token }), ...options.headers };
    const body = options.body === undefined ? undefined : JSON.stringify(options.body);
    const response = await fetch(url, { method: body ? "POST" : "GET", headers, body, credentials: options.credentials });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return response.json();
}

const local = {
    get: async name => JSON.parse(localStorage.getItem(name)),
    set: async (name, value) => localStorage.setItem(name, JSON.stringify(value)),
};

// The database that Firebase's SDK opens.
function indexed(mode, work) {
    return new Promise((resolve, reject) => {
        const opening = indexedDB.open("firebaseLocalStorageDb", 1);
        // Without the state, there is no database.
        opening.onupgradeneeded = () => opening.transaction.abort();
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
            const request = work(opening.result.transaction("firebaseLocalStorage", mode).objectStore("firebaseLocalStorage"));
            request.onsuccess = () => { opening.result.close(); resolve(request.result); };
            request.onerror = () => reject(request.error);
        };
    });
}

const database = {
    get: async name => (await indexed("readonly", store => store.get(name))).value,
    set: (name, value) => indexed("readwrite", store => store.put({ fbase_key: name, value })),
};

// @supabase/ssr: one cookie, or numbered parts of 3,180 characters, of the session in base64url.
const cookies = {
    async get(name) {
        const all = Object.fromEntries(document.cookie.split("; ").map(text => text.split("=")));
        let value = all[name] ?? "";
        for (let part = 0; `${name}.${part}` in all; part++) value += all[`${name}.${part}`];
        const bytes = atob(value.slice("base64-".length).replaceAll("-", "+").replaceAll("_", "/"));
        return JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes, byte => byte.charCodeAt(0))));
    },
    async set(name, value) {
        const bytes = new TextEncoder().encode(JSON.stringify(value));
        const text = "base64-" + btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""))
            .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
        const parts = text.match(/.{1,3180}/g);
        for (const cookie of document.cookie.split("; "))
            if (cookie.startsWith(name)) document.cookie = `${cookie.split("=")[0]}=; Max-Age=0; Path=/`;
        parts.forEach((part, index) => {
            document.cookie = `${name}${parts.length > 1 ? `.${index}` : ""}=${part}; Path=/; SameSite=Lax`;
        });
    },
};

function ownSupabase(site, store) {
    const name = `sb-${new URL(site.server).hostname.split(".")[0]}-auth-token`, headers = { apikey: site.key };
    return {
        who: async () => (await send(`${site.server}/auth/v1/user`, `Bearer ${(await store.get(name)).access_token}`,
            { headers })).email,
        async refresh() {
            const body = { refresh_token: (await store.get(name)).refresh_token };
            const session = await send(`${site.server}/auth/v1/token?grant_type=refresh_token`, null, { headers, body });
            await store.set(name, session);
            return session.access_token;
        },
    };
}

function ownFirebase(site) {
    const name = `firebase:authUser:${site.key}:[DEFAULT]`, store = site.usesIndexedDB ? database : local;
    const url = `${site.server}/identitytoolkit.googleapis.com/v1/accounts:lookup?key=${site.key}`;
    return {
        async who() {
            const body = { idToken: (await store.get(name)).stsTokenManager.accessToken };
            return (await send(url, null, { body })).users[0].email;
        },
        async refresh() {
            const user = await store.get(name), form = { grant_type: "refresh_token",
                refresh_token: user.stsTokenManager.refreshToken };
            const response = await fetch(`${site.server}/securetoken.googleapis.com/v1/token?key=${site.key}`,
                { method: "POST", body: new URLSearchParams(form) });
            const tokens = await response.json();
            user.stsTokenManager = { refreshToken: tokens.refresh_token, accessToken: tokens.id_token,
                expirationTime: Date.now() + 1000 * tokens.expires_in };
            await store.set(name, user);
            return tokens.id_token;
        },
    };
}

const supabasePage = client => ({
    who: async () => (await client.auth.getUser()).data.user?.email,
    refresh: async () => (await client.auth.refreshSession()).data.session.access_token,
});

const sdks = {
    parse(site) {
        Parse.initialize(site.app);
        Parse.serverURL = site.server;
        return { who: async () => (await Parse.User.current().fetch()).get("email"), refresh: async () => null };
    },
    pocketbase(site) {
        const client = new PocketBase(site.server), users = client.collection("users");
        return {
            who: async () => (await users.getOne(client.authStore.record.id)).email,
            refresh: async () => (await users.authRefresh()).token,
        };
    },
    supabase: site => supabasePage(supabase.createClient(site.server, site.key)),
    async ssr(site) {
        const { createBrowserClient } = await import("/authctl-browser/ssr/index.js");
        return supabasePage(createBrowserClient(site.server, site.key));
    },
    async firebase(site) {
        firebase.initializeApp({ apiKey: site.key, projectId: site.app, authDomain: "localhost" });
        const auth = firebase.auth();
        auth.useEmulator(site.server, { disableWarnings: true });
        const user = await new Promise(resolve => auth.onAuthStateChanged(resolve));
        return {
            async who() {
                await user.reload();
                return user.email;
            },
            refresh: () => user.getIdToken(true),
        };
    },
};

const own = {
    parse: site => ({
        async who() {
            const user = await local.get(`Parse/${site.app}/currentUser`);
            const headers = { "X-Parse-Application-Id": site.app, "X-Parse-Session-Token": user.sessionToken };
            return (await send(`${site.server}/users/me`, null, { headers })).email;
        },
        refresh: async () => null,
    }),
    pocketbase: site => ({
        async who() {
            const { token, record } = await local.get("pocketbase_auth");
            return (await send(`${site.server}/api/collections/users/records/${record.id}`, token)).email;
        },
        async refresh() {
            const { token } = await local.get("pocketbase_auth");
            const session = await send(`${site.server}/api/collections/users/auth-refresh`, token, { body: {} });
            await local.set("pocketbase_auth", session);
            return session.token;
        },
    }),
    supabase: site => ownSupabase(site, local),
    ssr: site => ownSupabase(site, cookies),
    firebase: ownFirebase,
    // These sites have no SDK: pages send the browser's cookies.
    allauth: () => ({
        who: async () => (await send("/_allauth/browser/v1/auth/session")).data.user.email,
        refresh: async () => null,
    }),
    session: site => ({ who: async () => (await send(`${site.server}/user/`)).email, refresh: async () => null }),
    jwt: site => ({
        who: async () => (await send(`${site.server}/user/`)).email,
        refresh: async () => (await send(`${site.server}/token/refresh/`, null, { body: {} })).access,
    }),
};

window.page = Promise.resolve().then(() => (site.hasSDK ? sdks : own)[site.kind](site));
