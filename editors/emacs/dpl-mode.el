;;; dpl-mode.el --- Editing of training layouts in DPL  -*- lexical-binding: t -*-

;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages

;;; Commentary:

;; Highlighting and indentation of .dpl files, and `dplc lsp' for eglot.

;;; Code:

(defconst dpl-mode-keywords
  '("import" "as" "param" "let" "schema" "choice" "search" "from" "with" "for" "on" "in" "if" "then" "else"
    "assert" "require" "minimize" "maximize" "where" "within" "across" "per" "and" "or" "not" "true" "false")
  "The keywords of the compiler.")

(defvar dpl-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 12" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?_ "w" table)
    (dolist (sign '(?= ?< ?> ?+ ?- ?* ?% ?| ??))
      (modify-syntax-entry sign "." table))
    table)
  "Syntax table of `dpl-mode'.")

(defconst dpl-mode-font-lock
  `(;; After a dot, every keyword is a name.
    ("\\.\\([[:alpha:]_]\\w*\\)" 1 font-lock-variable-name-face)
    (,(concat "^\\s-*\\(?:search\\s-+\\)?\\([[:alpha:]_]\\w*\\)\\s-+\\([[:alpha:]_]\\w*\\)\\s-*"
              "\\(?:\\_<\\(?:from\\|with\\|for\\|on\\)\\_>\\|{\\)")
     (1 (unless (member (match-string 1) dpl-mode-keywords) font-lock-type-face))
     (2 (unless (member (match-string 2) dpl-mode-keywords) font-lock-function-name-face)))
    (,(regexp-opt '("true" "false" "rest" "auto") 'symbols) . font-lock-constant-face)
    (,(regexp-opt dpl-mode-keywords 'symbols) . font-lock-keyword-face)
    ("\\_<[[:upper:]]\\w*" . font-lock-type-face)
    ("\\_<\\([[:alpha:]_]\\w*\\)\\s-*\\(?:=[^=]\\|=$\\|:\\)" 1 font-lock-variable-name-face)
    ("\\_<[0-9][0-9_]*\\(?:\\.[0-9]+\\)?[[:alpha:]]*\\(?:/[[:alpha:]]+\\)?" . font-lock-constant-face))
  "Highlighting of `dpl-mode'.")

(defconst dpl-mode-continued-start "\\(?:then\\|else\\|from\\|with\\|on\\)\\_>"
  "A line that begins so goes on with the statement of the line before it.")

(defconst dpl-mode-continued-end
  "\\(?:[-+*/%|.<>]\\|[=!<>]=\\|\\_<\\(?:and\\|or\\|not\\|in\\|per\\|within\\|across\\)\\)\\s-*\\(?://.*\\)?$"
  "The next line goes on with the statement of a line that ends so.")

(defun dpl-mode-depth-before (end)
  "Number of lines before END on which a bracket is open there; a line counts once."
  (length (delete-dups (mapcar #'line-number-at-pos (nth 9 (syntax-ppss end))))))

(defun dpl-mode-continued-p ()
  "Whether the line at point goes on with the statement of the line before it."
  (save-excursion
    (back-to-indentation)
    (or (looking-at dpl-mode-continued-start)
        (progn
          (forward-comment (- (point)))
          (let ((code-end (point)))
            (and (> code-end (point-min))
                 (progn (beginning-of-line)
                        (re-search-forward dpl-mode-continued-end (line-end-position) t))
                 (>= (match-beginning 0) (- code-end 6))
                 (not (nth 8 (syntax-ppss (match-beginning 0))))))))))

(defun dpl-mode-indent-line ()
  "Indents the line as `dplc fmt' does.
That is two spaces for each line with open brackets, and four for a continued
line."
  (let* ((begin (save-excursion (back-to-indentation) (point)))
         (depth (dpl-mode-depth-before (line-beginning-position)))
         (indent (* 2 depth)))
    (cond ((save-excursion (goto-char begin) (looking-at "[]})]"))
           ;; Brackets that open on one line are closed together.
           (setq indent (save-excursion
                          (goto-char begin)
                          (skip-chars-forward "]})")
                          (* 2 (dpl-mode-depth-before (point))))))
          ((save-excursion (goto-char begin) (dpl-mode-continued-p))
           (setq indent (+ indent 4))))
    (if (> (point) begin)
        (save-excursion (indent-line-to indent))
      (indent-line-to indent))))

;;;###autoload
(define-derived-mode dpl-mode prog-mode "DPL"
  "Major mode for training layouts."
  (setq-local comment-start "// "
              comment-end ""
              comment-start-skip "//+\\s-*"
              indent-tabs-mode nil
              indent-line-function #'dpl-mode-indent-line
              font-lock-defaults '(dpl-mode-font-lock)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.dpl\\'" . dpl-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(dpl-mode . ("dplc" "lsp"))))

(provide 'dpl-mode)
;;; dpl-mode.el ends here
