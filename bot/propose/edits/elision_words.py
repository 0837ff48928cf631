"""The words of lines such as "rest of the code unchanged", in several languages.

A line is one when all it says is said in these words; so real comments, which speak of
something, are none. `ALONE` says enough by itself, `REST` with a `THING`, `HELD` with `CODE`.
"""

# ruff: noqa: RUF001 - these are words of languages with other letters


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STATE = _words("""
unchanged omitted elided snipped snip truncated intact untouched unmodified same
identical before brevity goes continues shortened skipped unverändert unveränderte
unveränderter weggelassen ausgelassen gekürzt zuvor bisher vorher gleich inchangé
inchangée inchangés inchangées identique identiques omis omise auparavant cambios
igual omitido omitida iguales antes invariato invariata invariati invariate omesso
prima uguale inalterado inalterada inalterados alterações mesmo mudanças ongewijzigd
weggelaten hetzelfde zmian pominięto oryginału изменений изменения прежнему неизменным
неизменной неизменными опущено опущен раньше прежним змін değişmedi değişmeden aynı
""")
ALONE = _words("""
unchanged omitted elided snipped snip truncated untouched unmodified unverändert
weggelassen ausgelassen inchangé omis invariato inalterado ongewijzigd опущено
değişmedi
""")
PART = _words("""
rest remaining remainder existing other others previous original more additional
current old etc übrige übriger übrigen übriges restliche restlicher restlichen
restliches bestehende bestehender bestehenden bestehendes vorhandene vorhandener
weitere reste autres existant existante existants existantes suite restant restante
resto demás existente existentes restantes rimanente rimanenti esistente esistenti
demais overige bestaande reszta pozostały pozostała pozostałe istniejący остальной
остальная остальное остальные остаток оставшийся оставшаяся оставшиеся существующий
существующие прочий далее решта інший інші kalan kalanı geri mevcut diğer
""")
REST = _words("""
rest remaining remainder restliche restlicher übrige übriger reste restant resto
restantes rimanente overige reszta остальной остальная остальные оставшийся остаток
решта kalan kalanı
""")
HELD = _words("""
existing previous original bestehende bestehender existant existante existente
esistente bestaande istniejący существующий mevcut
""")
CODE = _words("""
code implementation codebase logic código codice kod kodu kodun код кода
""")
THING = _words("""
code file class function functions method methods module implementation contents
content body script document codebase datei klasse funktion funktionen methode
methoden inhalt fichier classe fonction fonctions méthode méthodes contenu código
archivo fichero clase función funciones método métodos contenido codice funzione
funzioni metodo metodi contenuto arquivo ficheiro função funções conteúdo bestand
functie functies kod kodu plik pliku klasy funkcji код кода файл файла класс класса
функция функции функций методы методов содержимое файлу класу kodun dosya dosyanın
""")
NOUN = THING | _words("""
files classes modules implementations logic import imports test tests definition
definitions field fields section sections text lines line entries entry items item
options option config configuration setup properties props routes handlers cases
statements declarations variables constants attributes keys values parts stuff
everything changes steps rules targets jobs args parameters params data elements
importe variablen zeilen lignes líneas righe linhas строки импорты рядки
""")
FILLER = _words("""
the a an of is are be in this that these those here as it its was were above below all
and or for to stay stays remain remains kept keep left has have been not no with from
your our so on will would shown exactly down up s der die das des dem den bleibt
bleiben ist sind hier wie ohne und im le la les l du de d des est sont sans comme ici
et reste restent tout el los las del sin permanece permanecen queda se mantiene aquí
como y todo lo il lo gli rimane rimangono resta restano qui come della dello dei senza
o os as do da dos das permanece sem aqui het een blijft blijven zoals hier van zonder
bez jak pozostaje без остается остаётся остаются как был было по тут здесь и в у без
бы так залишається olarak kalır burada
""")
PHRASES = (
    *("其余代码", "其他代码", "其余部分", "剩余代码", "现有代码", "原有代码"),
    *("保持不变", "代码不变", "此处省略", "以下省略", "省略其他", "其餘程式碼"),
    *("残りのコード", "既存のコード", "他のコード", "以下同様", "変更なし", "以下略"),
    *("나머지 코드", "기존 코드", "변경 없음", "나머지는 동일", "이하 생략"),
)
"""Parts of such lines in languages that don't put spaces between words as others do."""
